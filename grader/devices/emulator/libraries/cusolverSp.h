// cuSOLVER: sparse solvers, refused where they are called.
#pragma once

#include "cusolverDn.h"
#include "cusparse.h"

using cusolverSpHandle_t = struct cusolverSpContext*;

#define cusolverSpCreate(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverSpCreate")
#define cusolverSpDestroy(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverSpDestroy")
#define cusolverSpScsrlsvchol(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverSpScsrlsvchol")
#define cusolverSpDcsrlsvchol(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverSpDcsrlsvchol")
#define cusolverSpDcsrlsvqr(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverSpDcsrlsvqr")
#define cusolverSpDcsrlsvlu(...) LADDER_NO_LIBRARY(cusolverStatus_t, "cusolverSpDcsrlsvlu")
