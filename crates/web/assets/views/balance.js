// A robot that balances on wheels, seen from the side: its tilt, its position along the ground, and its motors.

import { canvas, colour } from '../dom.js';

const field = (type, name) => type?.fields?.find((f) => f.name === name && ['double', 'float'].includes(f.type) && !f.dims.length);
const WHEEL = 0.15; // radius [m]: that of the demo's robot, if the message has none
const MOTORS = ['left', 'right', 'torque'];

export default {
  id: 'balance',
  title: 'Balance',
  about: 'A robot on wheels from the side: tilt and position',

  fits(type) {
    return field(type, 'tilt') && field(type, 'x') ? 0.9 : 0;
  },

  open(place, { type }) {
    const motors = MOTORS.filter((name) => field(type, name));
    let value = null;
    const drawing = canvas(place, (g, width, height) => {
      if (!value) return;
      const ground = height * 0.82;
      const unit = Math.min(width / 3, height / 1.5); // pixels per meter
      const radius = unit * WHEEL;
      const length = unit * 0.85;
      const middle = width / 2;

      // The ground, with a mark every half meter, moves below the robot.
      g.strokeStyle = colour('--line');
      g.fillStyle = colour('--dim');
      g.font = `11px ${colour('--sans')}`;
      g.textAlign = 'center';
      g.beginPath();
      g.moveTo(0, ground);
      g.lineTo(width, ground);
      const span = width / 2 / unit;
      for (let mark = Math.ceil((value.x - span) * 2) / 2; mark <= value.x + span; mark += 0.5) {
        const at = middle + (mark - value.x) * unit;
        g.moveTo(at, ground);
        g.lineTo(at, ground + 6);
        g.fillText(`${mark} m`, at, ground + 20);
      }
      g.stroke();

      // The vertical, then the body, leaning forward to the right.
      const axle = ground - radius;
      const top = (angle) => [middle + Math.sin(angle) * length, axle - Math.cos(angle) * length];
      g.setLineDash([4, 4]);
      g.beginPath();
      g.moveTo(middle, axle);
      g.lineTo(...top(0));
      g.stroke();
      g.setLineDash([]);
      const lies = Math.abs(value.tilt) > 0.8;
      g.strokeStyle = colour(lies ? '--bad' : '--accent');
      g.lineWidth = Math.max(6, unit * 0.07);
      g.lineCap = 'round';
      g.beginPath();
      g.moveTo(middle, axle);
      g.lineTo(...top(value.tilt));
      g.stroke();

      // The wheel, with a spoke that turns as it rolls.
      g.lineWidth = Math.max(2, unit * 0.02);
      g.strokeStyle = colour('--text');
      g.fillStyle = colour('--panel');
      g.beginPath();
      g.arc(middle, axle, radius, 0, Math.PI * 2);
      g.fill();
      g.moveTo(middle, axle);
      const turned = value.x / WHEEL;
      g.lineTo(middle + Math.sin(turned) * radius, axle - Math.cos(turned) * radius);
      g.stroke();

      // The motors' torque as arrows at the axle.
      g.strokeStyle = colour('--warm');
      motors.forEach((name, i) => {
        const [from, to] = [middle, middle + Math.max(-1, Math.min(1, value[name] / 2)) * width * 0.35];
        const y = axle - radius * (0.3 + 0.5 * i);
        g.beginPath();
        g.moveTo(from, y);
        g.lineTo(to, y);
        if (Math.abs(to - from) > 4) {
          const back = Math.sign(from - to) * 5;
          g.moveTo(to + back, y - 4);
          g.lineTo(to, y);
          g.lineTo(to + back, y + 4);
        }
        g.stroke();
      });

      g.lineWidth = 1;
      g.fillStyle = colour('--text');
      g.font = `600 15px ${colour('--sans')}`;
      const degrees = ((value.tilt * 180) / Math.PI).toFixed(2);
      g.fillText(`tilt ${value.tilt < 0 ? '' : '+'}${degrees}°   ${value.x.toFixed(2)} m`, middle, 22);
    });
    return {
      update(newest) {
        value = newest;
        drawing.again();
      },
      close: drawing.close,
    };
  },
};
