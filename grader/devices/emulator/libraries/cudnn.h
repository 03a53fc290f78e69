// cuDNN: types, and functions that are refused where they are called.
#pragma once

#include "ladder_program.h"

enum cudnnStatus_t { CUDNN_STATUS_SUCCESS = 0, CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_ALLOC_FAILED, CUDNN_STATUS_BAD_PARAM, CUDNN_STATUS_INTERNAL_ERROR };
using cudnnHandle_t = struct cudnnContext*;
using cudnnTensorDescriptor_t = struct cudnnTensorStruct*;
using cudnnFilterDescriptor_t = struct cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = struct cudnnConvolutionStruct*;
using cudnnActivationDescriptor_t = struct cudnnActivationStruct*;
using cudnnPoolingDescriptor_t = struct cudnnPoolingStruct*;
enum cudnnDataType_t { CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF };
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION, CUDNN_CROSS_CORRELATION };
enum cudnnActivationMode_t { CUDNN_ACTIVATION_SIGMOID, CUDNN_ACTIVATION_RELU, CUDNN_ACTIVATION_TANH };
enum cudnnNanPropagation_t { CUDNN_NOT_PROPAGATE_NAN, CUDNN_PROPAGATE_NAN };
enum cudnnSoftmaxAlgorithm_t { CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_LOG };
enum cudnnSoftmaxMode_t { CUDNN_SOFTMAX_MODE_INSTANCE, CUDNN_SOFTMAX_MODE_CHANNEL };
enum cudnnConvolutionFwdAlgo_t {
    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_GEMM,
    CUDNN_CONVOLUTION_FWD_ALGO_DIRECT, CUDNN_CONVOLUTION_FWD_ALGO_FFT, CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING,
    CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_FWD_ALGO_COUNT,
};
struct cudnnConvolutionFwdAlgoPerf_t {
    cudnnConvolutionFwdAlgo_t algo;
    cudnnStatus_t status;
    float time;
    std::size_t memory;
};
inline const char* cudnnGetErrorString(cudnnStatus_t) { return "cuDNN is not emulated"; }

#define cudnnCreate(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnCreate")
#define cudnnDestroy(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnDestroy")
#define cudnnSetStream(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnSetStream")
#define cudnnCreateTensorDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnCreateTensorDescriptor")
#define cudnnDestroyTensorDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnDestroyTensorDescriptor")
#define cudnnSetTensor4dDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnSetTensor4dDescriptor")
#define cudnnCreateFilterDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnCreateFilterDescriptor")
#define cudnnSetFilter4dDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnSetFilter4dDescriptor")
#define cudnnDestroyFilterDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnDestroyFilterDescriptor")
#define cudnnCreateConvolutionDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnCreateConvolutionDescriptor")
#define cudnnSetConvolution2dDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnSetConvolution2dDescriptor")
#define cudnnDestroyConvolutionDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnDestroyConvolutionDescriptor")
#define cudnnGetConvolution2dForwardOutputDim(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnGetConvolution2dForwardOutputDim")
#define cudnnFindConvolutionForwardAlgorithm(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnFindConvolutionForwardAlgorithm")
#define cudnnConvolutionForward(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnConvolutionForward")
#define cudnnConvolutionBackwardData(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnConvolutionBackwardData")
#define cudnnConvolutionBackwardFilter(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnConvolutionBackwardFilter")
#define cudnnGetConvolutionForwardAlgorithm_v7(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnGetConvolutionForwardAlgorithm_v7")
#define cudnnGetConvolutionForwardWorkspaceSize(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnGetConvolutionForwardWorkspaceSize")
#define cudnnCreateActivationDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnCreateActivationDescriptor")
#define cudnnSetActivationDescriptor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnSetActivationDescriptor")
#define cudnnActivationForward(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnActivationForward")
#define cudnnActivationBackward(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnActivationBackward")
#define cudnnSoftmaxForward(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnSoftmaxForward")
#define cudnnPoolingForward(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnPoolingForward")
#define cudnnAddTensor(...) LADDER_NO_LIBRARY(cudnnStatus_t, "cudnnAddTensor")
