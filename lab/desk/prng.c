/* bcryptprimitives.dll for Wine 8, which lacks it: the random bytes of the standard library of Rust. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID at, ULONG len);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE at, SIZE_T len)
{
    return SystemFunction036(at, (ULONG)len);
}
