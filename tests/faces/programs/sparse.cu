// cuSPARSE's products: a matrix of 3 x 4 by a vector and by matrices, in three forms.
#include <cstdio>
#include <cusparse.h>
template <class T> T* up(const T* from, int n) {
    T* d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, from, n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <class T> void show(const T* d, int n) {
    T h[16];
    cudaMemcpy(h, d, n * sizeof(T), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) printf("%g ", (double)h[i]);
    printf("\n");
}
int main(int argc, char**) {
    // 1 0 2 0 / 0 0 0 3 / 4 5 0 0
    const int offsets[] = {0, 2, 3, 5}, columns[] = {0, 2, 3, 0, 1}, rows[] = {0, 0, 1, 2, 2}, wrong[] = {0, 2, 4, 0, 1};
    const int starts[] = {1, 3, 4, 5, 6}, below[] = {1, 3, 3, 1, 2};   // by columns, counted from 1
    const float values[] = {1, 2, 3, 4, 5}, by_column[] = {1, 4, 5, 2, 3}, ones[] = {1, 10, 100, 1000, 2, 20, 200, 2000};
    int *o = up(offsets, 4), *c = up(columns, 5), *r = up(rows, 5);
    float *v = up(values, 5), *x = up(ones, 8), *y = up(ones, 8);
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseSpMatDescr_t csr, coo, csc;
    cusparseCreateCsr(&csr, 3, 4, 5, o, argc > 1 ? up(wrong, 5) : c, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateCoo(&coo, 3, 4, 5, r, c, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateCsc(&csc, 3, 4, 5, up(starts, 5), up(below, 5), up(by_column, 5), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
    cusparseDnVecDescr_t of_4, of_3;
    cusparseCreateDnVec(&of_4, 4, x, CUDA_R_32F), cusparseCreateDnVec(&of_3, 3, y, CUDA_R_32F);
    float one = 1, two = 2, zero = 0;
    size_t bytes;
    void* buffer;
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, csr, of_4, &zero, of_3, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    cudaMalloc(&buffer, bytes);
    for (auto matrix : {csr, coo, csc}) {
        cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, of_4, &zero, of_3, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer);   // by a vector
        show(y, 3);
    }
    cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, &two, csr, of_3, &one, of_4, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
    show(x, 4);
    printf("%d\n", cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, &one, csr, of_4, &zero, of_3, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    cudaMemcpy(x, ones, sizeof ones, cudaMemcpyHostToDevice);
    cusparseDnMatDescr_t b, by_rows, by_columns;
    cusparseCreateDnMat(&b, 4, 2, 4, x, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&by_rows, 3, 2, 2, y, CUDA_R_32F, CUSPARSE_ORDER_ROW), cusparseCreateDnMat(&by_columns, 3, 2, 3, y, CUDA_R_32F, CUSPARSE_ORDER_COL);
    for (auto to : {by_rows, by_columns}) {
        cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, csr, b, &zero, to, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer);
        show(y, 6);
    }
    cusparseDestroySpMat(csr), cusparseDestroyDnVec(of_4), cusparseDestroyDnMat(b), cusparseDestroy(handle);
}
