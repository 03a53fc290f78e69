// The names of NVIDIA's samples' helper_string.h: a program's arguments, as -name or --name=value.
#pragma once

#include <strings.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, length, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define SPRINTF sprintf
#define SSCANF sscanf
#endif

inline int stringRemoveDelimiter(char delimiter, const char* string) {
    int first = 0;
    while (string[first] == delimiter) ++first;
    return string[first] ? first : 0;
}

// What stands behind the name, "" without a value; null if the argument is not there.
inline const char* ladder_argument(int argc, const char** argv, const char* name) {
    const std::size_t length = strlen(name);
    for (int i = 1; i < argc; ++i) {
        const char* const argument = argv[i] + stringRemoveDelimiter('-', argv[i]);
        if (strncasecmp(argument, name, length) != 0) continue;
        if (argument[length] == '=') return argument + length + 1;
        if (argument[length] == 0) return argument + length;
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char** argv, const char* name) { return ladder_argument(argc, argv, name) != nullptr; }
inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name) {
    const char* const value = ladder_argument(argc, argv, name);
    return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name) {
    const char* const value = ladder_argument(argc, argv, name);
    return value ? static_cast<float>(atof(value)) : 0;
}
inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** found) {
    const char* const value = ladder_argument(argc, argv, name);
    *found = const_cast<char*>(value);
    return value != nullptr;
}
template <class T> bool getCmdLineArgumentValue(int argc, const char** argv, const char* name, T* found) {
    const char* const value = ladder_argument(argc, argv, name);
    if (value) *found = static_cast<T>(atoi(value));
    return value != nullptr;
}

// A sample's data file: as it is named, or in the folders that samples keep them in.
inline char* sdkFindFilePath(const char* name, const char* program) {
    std::string folder = program ? program : "";
    folder = folder.find('/') == std::string::npos ? "" : folder.substr(0, folder.rfind('/') + 1);
    for (const std::string& place : {std::string(), std::string("data/"), folder, folder + "data/", std::string("../data/")}) {
        if (FILE* const file = fopen((place + name).c_str(), "rb")) {
            fclose(file);
            return strdup((place + name).c_str());
        }
    }
    return nullptr;
}
