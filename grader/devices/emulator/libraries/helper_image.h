// The names of NVIDIA's samples' helper_image.h: PGM and PPM files, and comparisons of data with a reference.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

// |data - reference| <= epsilon for all elements but a share of `threshold`.
template <class T> bool compareData(const T* reference, const T* data, unsigned long count, float epsilon, float threshold) {
    unsigned long wrong = 0;
    for (unsigned long i = 0; i < count; ++i) {
        const double difference = static_cast<double>(reference[i]) - static_cast<double>(data[i]);
        wrong += !(std::fabs(difference) <= static_cast<double>(epsilon));
    }
    return static_cast<double>(wrong) <= static_cast<double>(threshold) * static_cast<double>(count);
}
template <class T> bool compareDataAsFloatThreshold(const T* reference, const T* data, unsigned long count, float epsilon, float threshold) {
    return compareData(reference, data, count, epsilon, threshold);
}
inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned long count, float epsilon) {
    double error = 0, norm = 0;
    for (unsigned long i = 0; i < count; ++i) {
        const double difference = static_cast<double>(reference[i]) - static_cast<double>(data[i]);
        error += difference * difference;
        norm += static_cast<double>(reference[i]) * static_cast<double>(reference[i]);
    }
    return norm > 1e-7 && std::sqrt(error / norm) < static_cast<double>(epsilon);
}

// ---- P5 (grey) and P6 (colour), 8 bits a channel ----

inline bool ladder_read_image(const char* name, std::vector<unsigned char>& bytes, unsigned& width, unsigned& height, unsigned& channels) {
    std::ifstream file(name, std::ios::binary);
    std::string kind, word;
    unsigned numbers[3] = {};
    if (!(file >> kind) || (kind != "P5" && kind != "P6")) return false;
    for (int i = 0; i < 3 && file >> word;) {
        if (word[0] == '#') std::getline(file, word);
        else numbers[i++] = static_cast<unsigned>(atoi(word.c_str()));
    }
    file.get();
    width = numbers[0], height = numbers[1], channels = kind == "P6" ? 3 : 1;
    bytes.resize(static_cast<std::size_t>(width) * height * channels);
    return static_cast<bool>(file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));
}
inline bool ladder_write_image(const char* name, const unsigned char* bytes, unsigned width, unsigned height, unsigned channels) {
    std::ofstream file(name, std::ios::binary);
    file << (channels == 3 ? "P6" : "P5") << '\n' << width << ' ' << height << "\n255\n";
    return static_cast<bool>(file.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(width) * height * channels));
}
template <class T> bool sdkLoadPGM(const char* name, T** data, unsigned* width, unsigned* height) {
    std::vector<unsigned char> bytes;
    unsigned channels;
    if (!ladder_read_image(name, bytes, *width, *height, channels)) return false;
    if (!*data) *data = static_cast<T*>(malloc(bytes.size() * sizeof(T)));
    for (std::size_t i = 0; i < bytes.size(); ++i) (*data)[i] = static_cast<T>(sizeof(T) > 1 ? bytes[i] / 255.0 : bytes[i]);
    return true;
}
template <class T> bool sdkSavePGM(const char* name, const T* data, unsigned width, unsigned height) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(width) * height);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(sizeof(T) > 1 ? data[i] * 255 : data[i]);
    return ladder_write_image(name, bytes.data(), width, height, 1);
}
inline bool sdkLoadPPM4ub(const char* name, unsigned char** data, unsigned* width, unsigned* height) {
    std::vector<unsigned char> bytes;
    unsigned channels;
    if (!ladder_read_image(name, bytes, *width, *height, channels) || channels != 3) return false;
    const std::size_t pixels = bytes.size() / 3;
    *data = static_cast<unsigned char*>(malloc(4 * pixels));
    for (std::size_t i = 0; i < 4 * pixels; ++i) (*data)[i] = i % 4 == 3 ? 0 : bytes[i / 4 * 3 + i % 4];
    return true;
}
inline bool sdkSavePPM4ub(const char* name, unsigned char* data, unsigned width, unsigned height) {
    std::vector<unsigned char> bytes(3 * static_cast<std::size_t>(width) * height);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = data[i / 3 * 4 + i % 3];
    return ladder_write_image(name, bytes.data(), width, height, 3);
}
