// An image: JPEG or PNG by its first bytes, or raw by its pixel format.

import { h } from '../dom.js';

const BYTES = ['data', 'image', 'pixels'];
const fourcc = (text) => text.charCodeAt(0) | (text.charCodeAt(1) << 8) | (text.charCodeAt(2) << 16) | (text.charCodeAt(3) << 24);

/** Bytes of a pixel, and where red, green and blue are in it. */
const FORMATS = {
  rgb: [3, 0, 1, 2], bgr: [3, 2, 1, 0], rgba: [4, 0, 1, 2], bgra: [4, 2, 1, 0], grey: [1, 0, 0, 0], grey16: [2, 1, 1, 1],
};
const NAMES = {
  rgb8: 'rgb', rgb: 'rgb', bgr8: 'bgr', bgr: 'bgr', '8uc3': 'bgr', rgba8: 'rgba', rgba: 'rgba', bgra8: 'bgra', bgra: 'bgra', '8uc4': 'bgra',
  mono8: 'grey', grey: 'grey', gray: 'grey', '8uc1': 'grey', mono16: 'grey16', '16uc1': 'grey16',
};
const CODES = new Map([
  [859981650, 'rgb'], [861030210, 'bgr'], [876758866, 'rgba'], [877807426, 'bgra'], [1497715271, 'grey'], [357, 'grey16'],
  [fourcc('RGB3'), 'rgb'], [fourcc('BGR3'), 'bgr'], [fourcc('GREY'), 'grey'], [fourcc('Y16 '), 'grey16'],
]);

const isArray = (type, names) => type.fields.some((f) => names.includes(f.name) && f.type === 'byte' && f.dims.length === 1);
const has = (type, ...names) => names.some((name) => type.fields.some((f) => f.name === name && !f.dims.length));

export default {
  id: 'image',
  title: 'Image',
  about: 'An image, raw or JPEG',

  fits(type) {
    if (!isArray(type, BYTES)) return 0;
    if (has(type, 'width', 'cols') && has(type, 'height', 'rows')) return 1;
    return has(type, 'format') ? 0.9 : 0;
  },

  open(place) {
    const picture = h('canvas', { class: 'picture' });
    const hint = h('div', { class: 'hint' });
    place.append(picture, hint);
    Object.assign(picture.style, { width: '100%', height: '100%', objectFit: 'contain', imageRendering: 'auto' });
    let busy = false;
    let next = null;
    const show = async (value) => {
      const data = BYTES.map((name) => value[name]).find((one) => one instanceof Uint8Array);
      if (!data || data.length < 4) return 'no image';
      const isJpeg = data[0] === 0xff && data[1] === 0xd8;
      const isPng = data[0] === 0x89 && data[1] === 0x50;
      let source;
      let words;
      if (isJpeg || isPng) {
        source = await createImageBitmap(new Blob([data]));
        words = isJpeg ? 'JPEG' : 'PNG';
      } else {
        [source, words] = raw(value, data);
        if (!source) return words;
      }
      [picture.width, picture.height] = [source.width, source.height];
      const g = picture.getContext('2d');
      if (source instanceof ImageData) g.putImageData(source, 0, 0);
      else g.drawImage(source, 0, 0);
      source.close?.();
      return `${source.width || picture.width} × ${source.height || picture.height}, ${words}`;
    };
    const run = async () => {
      if (busy) return;
      busy = true;
      while (next) {
        const value = next;
        next = null;
        try { hint.textContent = await show(value); } catch (error) { hint.textContent = `Not an image: ${error.message}`; }
        await new Promise(requestAnimationFrame);
      }
      busy = false;
    };
    return { update(value) { next = value; run(); } };
  },
};

/** The pixels of a raw image and its description, or the error. */
function raw(value, data) {
  const [width, height] = [value.width ?? value.cols, value.height ?? value.rows];
  const told = value.pixelformat ?? value.encoding ?? value.format;
  let name = typeof told === 'string' ? NAMES[told.toLowerCase()] : CODES.get(told);
  if (!(width > 0 && height > 0 && width * height <= 64e6)) return [null, `${width} × ${height} is not a valid image size`];
  if (told === undefined) name = { 1: 'grey', 3: 'rgb', 4: 'rgba' }[Math.floor(data.length / (width * height))];
  if (!name) return [null, `Unknown pixel format ${told}`];
  const [size, r, g, b] = FORMATS[name];
  const stride = value.row_stride || value.step || value.stride || width * size;
  if (stride < width * size || data.length < stride * (height - 1) + width * size) return [null, 'Too few bytes for this size'];
  const image = new ImageData(width, height);
  const out = image.data;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, from = y * stride; x < width; x++, from += size, to += 4) {
      out[to] = data[from + r];
      out[to + 1] = data[from + g];
      out[to + 2] = data[from + b];
      out[to + 3] = 255;
    }
  }
  return [image, name];
}
