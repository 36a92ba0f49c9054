// SPDX-License-Identifier: MIT
// cxx_openmp.cc - OpenMP in C++: objects as private variables of regions and tasks, exceptions that stay inside.
//
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <cassert>
#include <stdexcept>
#include <vector>

int main()
{
    std::vector<int> squares(4), collected;
    int caught = 0;
    for (int round = 0; round < 3; round++) {
#pragma omp parallel for num_threads(2) schedule(guided) reduction(+ : caught)
        for (std::size_t i = 0; i < squares.size(); i++) {
            std::vector<int> own(2, static_cast<int>(i));
            squares[i] = own[0] * own[1];
            try {
                if (i == 3)
                    throw std::runtime_error("three");
            } catch (const std::exception &) {
                caught++;
            }
        }
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        std::vector<int> given{1, 2};
        for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(given, i) shared(collected)
            {
                given[i] = 5;
#pragma omp critical
                collected.insert(collected.end(), given.begin(), given.end());
            }
        }
    }
    assert(caught == 3 && squares[3] == 9 && collected.size() == 4);
    return 0;
}
