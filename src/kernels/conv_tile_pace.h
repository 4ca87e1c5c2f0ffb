/* How long blocks of cuDNN's fp32 convolutions take on plain units, by their tile. */
#ifndef HABITAT_KERNELS_CONV_TILE_PACE_H
#define HABITAT_KERNELS_CONV_TILE_PACE_H

/* For every tile that a multiprocessor computes it needs `pace` times what its lanes need for the
 * tile's sums and for `begin` terms more. A tile alone takes as long as `alone` of them together:
 * each step of its sums waits for what it loads. Tiles of few threads share a multiprocessor's
 * schedulers by twos where `twos` is 2. */
typedef struct tile_pace {
    double rows, columns, pace, alone, twos, begin;
    double resident; /* blocks that a multiprocessor holds at a time, by their registers */
} tile_pace;

enum { FORWARD_PACES = 3 };

extern const tile_pace conv_tile_paces_forward[FORWARD_PACES];

/* Blocks that follow each other on a multiprocessor. resident: those that all sms hold at a time;
 * 0: as many as there are. */
double conv_tile_turns(const tile_pace *p, double blocks, double resident, double sms);

#endif
