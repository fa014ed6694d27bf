/* XDR, by the code that `rpcgen` makes of bench.x. The messages come from our C, and go back to it to be verified. */
#define _GNU_SOURCE
#include "measure.h"

#include "bench.h"
#include "bench_cloud_t.h"
#include "bench_image_t.h"
#include "bench_joints_t.h"
#include "bench_laser_t.h"
#include "bench_path_t.h"

static void take_scan(const bench_laser_t *from, laser *to)
{
    to->utime = from->utime;
    to->ranges.ranges_len = (u_int)from->nranges;
    to->ranges.ranges_val = from->ranges;
    to->intensities.intensities_len = (u_int)from->nintensities;
    to->intensities.intensities_val = from->intensities;
    to->rad0 = from->rad0;
    to->radstep = from->radstep;
}
static void give_scan(const laser *from, bench_laser_t *to)
{
    to->utime = from->utime;
    to->nranges = (int32_t)from->ranges.ranges_len;
    to->ranges = from->ranges.ranges_val;
    to->nintensities = (int32_t)from->intensities.intensities_len;
    to->intensities = from->intensities.intensities_val;
    to->rad0 = from->rad0;
    to->radstep = from->radstep;
}

static void take_joints(const bench_joints_t *from, joints *to)
{
    to->utime = from->utime;
    to->position.position_len = to->velocity.velocity_len = to->effort.effort_len = (u_int)from->n;
    to->position.position_val = from->position;
    to->velocity.velocity_val = from->velocity;
    to->effort.effort_val = from->effort;
}
static void give_joints(const joints *from, bench_joints_t *to)
{
    to->utime = from->utime;
    to->n = (int32_t)from->position.position_len;
    to->position = from->position.position_val;
    to->velocity = from->velocity.velocity_val;
    to->effort = from->effort.effort_val;
}

static void take_image(const bench_image_t *from, image *to)
{
    to->utime = from->utime;
    to->width = from->width;
    to->height = from->height;
    to->data.data_len = (u_int)from->size;
    to->data.data_val = (char *)from->data;
}
static void give_image(const image *from, bench_image_t *to)
{
    to->utime = from->utime;
    to->width = from->width;
    to->height = from->height;
    to->size = (int32_t)from->data.data_len;
    to->data = (uint8_t *)from->data.data_val;
}

static void take_cloud(const bench_cloud_t *from, cloud *to)
{
    to->utime = from->utime;
    to->xyz.xyz_len = (u_int)from->n;
    to->xyz.xyz_val = (point *)calloc((size_t)from->n, sizeof(point));
    for (int32_t i = 0; i < from->n; i++) {
        to->xyz.xyz_val[i].x = from->xyz[i][0];
        to->xyz.xyz_val[i].y = from->xyz[i][1];
        to->xyz.xyz_val[i].z = from->xyz[i][2];
    }
}
static void give_cloud(const cloud *from, bench_cloud_t *to)
{
    to->utime = from->utime;
    to->n = (int32_t)from->xyz.xyz_len;
    to->xyz = (float **)calloc((size_t)to->n, sizeof(float *));
    for (int32_t i = 0; i < to->n; i++) {
        to->xyz[i] = &from->xyz.xyz_val[i].x;
    }
}

static void take_path(const bench_path_t *from, path *to)
{
    to->utime = from->utime;
    to->points.points_len = (u_int)from->n;
    to->points.points_val = (waypoint *)calloc((size_t)from->n, sizeof(waypoint));
    for (int32_t i = 0; i < from->n; i++) {
        to->points.points_val[i].name = from->points[i].name;
        memcpy(to->points.points_val[i].position, from->points[i].position, sizeof from->points[i].position);
        memcpy(to->points.points_val[i].orientation, from->points[i].orientation, sizeof from->points[i].orientation);
    }
}
static void give_path(const path *from, bench_path_t *to)
{
    to->utime = from->utime;
    to->n = (int32_t)from->points.points_len;
    to->points = (bench_waypoint_t *)calloc((size_t)to->n, sizeof(bench_waypoint_t));
    for (int32_t i = 0; i < to->n; i++) {
        to->points[i].name = from->points.points_val[i].name;
        memcpy(to->points[i].position, from->points.points_val[i].position, sizeof to->points[i].position);
        memcpy(to->points[i].orientation, from->points.points_val[i].orientation, sizeof to->points[i].orientation);
    }
}

/* `kept` is decoded into again and again: XDR uses the memory that its pointers point to. */
#define CASE(NAME, TYPE, XDR_TYPE)                                                       \
    static bytes_t NAME##_bytes;                                                         \
    static char *NAME##_buffer;                                                          \
    static char *NAME##_copied;                                                          \
    static u_int NAME##_room;                                                            \
    static XDR_TYPE NAME##_message;                                                      \
    static XDR_TYPE NAME##_kept;                                                         \
    static void NAME##_encode(size_t count)                                              \
    {                                                                                    \
        for (size_t i = 0; i < count; i++) {                                             \
            XDR stream;                                                                  \
            touch(&NAME##_message);                                                      \
            xdrmem_create(&stream, NAME##_buffer, NAME##_room, XDR_ENCODE);              \
            if (!xdr_##XDR_TYPE(&stream, &NAME##_message)) {                             \
                give_up("does not encode", #NAME);                                       \
            }                                                                            \
            touch(NAME##_buffer);                                                        \
        }                                                                                \
    }                                                                                    \
    static void NAME##_decode_into(XDR_TYPE *message)                                    \
    {                                                                                    \
        XDR stream;                                                                      \
        touch(NAME##_buffer);                                                            \
        xdrmem_create(&stream, NAME##_buffer, NAME##_room, XDR_DECODE);                  \
        if (!xdr_##XDR_TYPE(&stream, message)) {                                         \
            give_up("does not decode", #NAME);                                           \
        }                                                                                \
        touch(message);                                                                  \
    }                                                                                    \
    static void NAME##_decode(size_t count)                                              \
    {                                                                                    \
        for (size_t i = 0; i < count; i++) {                                             \
            XDR_TYPE message;                                                            \
            memset(&message, 0, sizeof message);                                         \
            NAME##_decode_into(&message);                                                \
            xdr_free((xdrproc_t)xdr_##XDR_TYPE, (char *)&message);                       \
        }                                                                                \
    }                                                                                    \
    static void NAME##_reuse(size_t count)                                               \
    {                                                                                    \
        for (size_t i = 0; i < count; i++) {                                             \
            NAME##_decode_into(&NAME##_kept);                                            \
        }                                                                                \
    }                                                                                    \
    static void NAME##_copy(size_t count)                                                \
    {                                                                                    \
        for (size_t i = 0; i < count; i++) {                                             \
            touch(NAME##_bytes.data);                                                    \
            memcpy(NAME##_copied, NAME##_bytes.data, NAME##_bytes.size);                 \
            touch(NAME##_copied);                                                        \
        }                                                                                \
    }                                                                                    \
    static void NAME##_prepare(const char *directory)                                    \
    {                                                                                    \
        NAME##_bytes = read_message(directory, #NAME);                                   \
        NAME##_room = (u_int)(2 * NAME##_bytes.size + 64);                               \
        NAME##_buffer = (char *)malloc(NAME##_room);                                     \
        NAME##_copied = (char *)malloc(NAME##_room);                                     \
        TYPE message;                                                                    \
        if (TYPE##_decode(NAME##_bytes.data, 0, (int)NAME##_bytes.size, &message) < 0) { \
            give_up("does not decode", #NAME);                                           \
        }                                                                                \
        take_##NAME(&message, &NAME##_message);                                          \
        NAME##_encode(1);                                                                \
    }                                                                                    \
    static void NAME##_verify(void)                                                      \
    {                                                                                    \
        TYPE message;                                                                    \
        uint8_t *bytes = (uint8_t *)calloc(1, NAME##_bytes.size);                        \
        NAME##_reuse(2);                                                                 \
        give_##NAME(&NAME##_kept, &message);                                             \
        TYPE##_encode(bytes, 0, (int)NAME##_bytes.size, &message);                       \
        print_hex(bytes, NAME##_bytes.size);                                             \
    }

#define CASES(X)                                                             \
    X(scan, bench_laser_t, laser) X(joints, bench_joints_t, joints)          \
    X(image, bench_image_t, image) X(cloud, bench_cloud_t, cloud)            \
    X(path, bench_path_t, path)

CASES(CASE)

#define PREPARE(NAME, TYPE, XDR_TYPE) NAME##_prepare(argv[1]);
#define ROW(NAME, TYPE, XDR_TYPE) {#NAME, NAME##_encode, NAME##_decode, NAME##_reuse, NAME##_copy, NAME##_verify},

static const case_t cases[] = {CASES(ROW) {NULL, NULL, NULL, NULL, NULL, NULL}};

int main(int argc, char **argv)
{
    if (argc != 2) {
        give_up("usage", "xdr DIRECTORY");
    }
    CASES(PREPARE)
    return answer(cases);
}
