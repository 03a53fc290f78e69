#pragma once
constexpr int kTaps = 3;
constexpr float kTable[kTaps] = {0.25f, 0.5f, 0.25f};
const int kSizes[2] = {3, 5};
struct Shape { int rows, columns; };
constexpr Shape kShape = {4, 8};
struct Traits { static constexpr int kWidths[2] = {1, 2}; static constexpr int kOne = 1; };
