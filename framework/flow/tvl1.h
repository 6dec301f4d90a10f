#pragma once

#include "framework/flow/plane.h"

namespace kinema::flow {

// The numbers of the method; the defaults are those of OpenCV's DualTVL1OpticalFlow.
struct TvL1Options {
  float tau = 0.25F;     // step of the dual variables
  float lambda = 0.15F;  // weight of the data: smaller is smoother
  float theta = 0.3F;    // how tightly the two halves of the problem are tied
  int scales = 5;        // levels of the pyramid; those of a side below 16 are left out
  float scale_step = 0.8F;
  int warps = 5;
  int outer_iterations = 10;  // a median filter of the flow before each
  int inner_iterations = 30;
  float epsilon = 0.01F;  // ends the iterations of a warp: mean change of a pixel's vector
};

// TV-L1 optical flow of two pictures of one size, values 0 to 255: the total variation of the flow plus
// lambda times the absolute difference of the pictures along it is made small, by a primal-dual scheme on
// each level of a pyramid. Zach, Pock, Bischof 2007, "A duality based approach for realtime TV-L1 optical
// flow"; Sanchez Perez, Meinhardt-Llopis, Facciolo 2013, "TV-L1 optical flow estimation" (IPOL); the median
// filter of Wedel et al. 2009.
Field tv_l1(const Plane& first, const Plane& second, const TvL1Options& options = {});

}  // namespace kinema::flow
