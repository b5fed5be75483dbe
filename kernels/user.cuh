/* SPDX-License-Identifier: MIT
 *
 * The caller's operator and conversions under the interfaces of the built-in ones.
 *
 * The caller's functions are found by their names, apply, load and store, among what the caller's text declares; each
 * may take its operands by value or by constant reference.  They are called here and nowhere else.
 */
#ifndef SCAN_USER_CUH
#define SCAN_USER_CUH

#include "abi.h"
#include "monoids.cuh"

namespace scan {

/* What the caller's apply() gets for its third parameter: a pointer that becomes one to whatever it declares. */
struct state_pointer {
	const void *address;
	template <class T> __device__ __forceinline__ operator const T *() const
	{
		return static_cast<const T *>(address);
	}
	template <class T> __device__ __forceinline__ operator T *() const
	{
		return static_cast<T *>(const_cast<void *>(address));
	}
};

/* A type of the caller's that is only a number of bytes. */
template <int size, int alignment> struct alignas(alignment) opaque {
	u8 byte[size];
};

template <class T> T any();

/* Selects the operator new that makes an object where it is told to; the one of the standard's is in a header. */
struct place {};

/* The launch's state for the operator, which any thread may ask for at any depth of the scan. */
__shared__ const void *operator_state;

} // namespace scan

__device__ __forceinline__ void *operator new(decltype(sizeof(0)), scan::place, void *where)
{
	return where;
}

/* Never called; the compiler warns of a new without its delete. */
__device__ __forceinline__ void operator delete(void *, scan::place, void *)
{
}

#include "user_text.cuh"

namespace scan {

/* Whether the caller's functions can be called in this way: what cannot is no error yet.  Unqualified names of what is
 * only looked for when a type is known: the functions need not exist where the problem has no text. */
#define SCAN_CAN_CALL(name, expression) \
	template <class T, class = decltype(expression)> constexpr bool name(int) { return true; } \
	template <class T> constexpr bool name(...) { return false; }

SCAN_CAN_CALL(takes_operands, apply(any<const T &>(), any<const T &>()))
SCAN_CAN_CALL(takes_operands_and_state, apply(any<const T &>(), any<const T &>(), any<state_pointer>()))
SCAN_CAN_CALL(takes_result, apply(any<T &>(), any<const T &>(), any<const T &>()))
SCAN_CAN_CALL(takes_result_and_state, apply(any<T &>(), any<const T &>(), any<const T &>(), any<state_pointer>()))
SCAN_CAN_CALL(takes_element, load(any<const T &>()))
SCAN_CAN_CALL(takes_index, load(any<const T &>(), 0ull))
SCAN_CAN_CALL(can_store, store(any<const T &>()))

template <class T> __device__ __forceinline__ T call_apply(const T &earlier, const T &later)
{
	if constexpr (user_facts::has_state)
		return apply(earlier, later, state_pointer{operator_state});
	else
		return apply(earlier, later);
}

template <class T> __device__ __forceinline__ void call_apply(T &result, const T &earlier, const T &later)
{
	if constexpr (user_facts::has_state)
		apply(result, earlier, later, state_pointer{operator_state});
	else
		apply(result, earlier, later);
}

/* The one place where what the caller's operator returns becomes a value of the accumulator's type.  It is made in
 * place: a result that is larger than a thread's registers is never held in them.  *result has no value yet, and is
 * none of the operands. */
template <class T>
__device__ __forceinline__ void apply_into(T *result, const T *earlier, const T *later)
{
	if constexpr (user_facts::has_state ? takes_result_and_state<T>(0) : takes_result<T>(0))
		call_apply(*result, *earlier, *later);
	else
		new (place{}, result) T(call_apply(*earlier, *later));
}

template <class To, class From> __device__ __forceinline__ To call_load(const From &from, u64 index)
{
	if constexpr (takes_index<From>(0))
		return load(from, index);
	else
		return load(from);
}

template <class To, class From> __device__ __forceinline__ To call_store(const From &from)
{
	return store(from);
}

/* Whether a type consists of scalars of one size, and so has no padding: as many of them as have its size initialise
 * it.  Of floats the compiler does not tell. */
template <int size> struct scalar_of_size {
	template <class T, int = 1 / int(sizeof(T) == size && !__is_class(T) && !__is_union(T))> operator T() const;
};
template <int n, int... rest> struct scalars : scalars<n - 1, n - 1, rest...> {};
template <int... all> struct scalars<0, all...> {};
template <class T, int size, int... all, class = decltype(T{scalar_of_size<size + 0 * all>()...})>
constexpr bool consists_of(scalars<0, all...>) { return true; }
template <class T, int size> constexpr bool consists_of(...) { return false; }

/* A bit-field is initialised by a scalar of its type, and fills a part of it.  What tells is that the representation of
 * a type that has one is no constant expression. */
template <int size> struct representation {
	u32 word[size / 4];
};
#if defined(__has_builtin)
#if __has_builtin(__builtin_bit_cast)
template <class T, u32 word = __builtin_bit_cast(representation<sizeof(T)>, T{}).word[0]>
constexpr bool has_no_bit_field(int) { return true; }
#endif
#endif
template <class T> constexpr bool has_no_bit_field(...) { return false; }

/* A type with constructors takes as many scalars as those say, whatever its members are. */
template <class T> constexpr bool is_solid()
{
	constexpr int size = sizeof(T);
	if constexpr (size % 4 != 0 || size > SCAN_LARGE_BYTES || !__is_aggregate(T))
		return false;
	else if constexpr (consists_of<T, 4>(scalars<size / 4>()))
		return has_no_bit_field<T>(0);
	else if constexpr (size % 8 == 0 && consists_of<T, 8>(scalars<size / 8>()))
		return has_no_bit_field<T>(0);
	else
		return false;
}

/* Gives padding a value, no matter which: without one the compiler leaves it out when it stores a value, and whoever
 * moves values by words then reads memory that nobody has written.  No instruction. */
template <class T> __device__ __forceinline__ void settle(T &value)
{
	if constexpr (!__has_unique_object_representations(T) && !is_solid<T>() && alignof(T) >= 4) {
		u32 word[sizeof(T) / 4];
		memcpy(word, &value, sizeof value);
#pragma unroll
		for (int i = 0; i < int(sizeof(T)) / 4; i++)
			asm("" : "+r"(word[i]));
		memcpy(&value, word, sizeof value);
	}
}

struct op_user {
	enum : bool { is_commutative = user_facts::is_commutative };
	template <class T> static __device__ __forceinline__ T apply(const T &earlier, const T &later)
	{
		T result;
		apply_into(&result, &earlier, &later);
		settle(result);
		return result;
	}
	template <class T, class Facts = user_facts> static __device__ __forceinline__ T identity()
	{
		static_assert(Facts::has_identity && sizeof(T), "identity: the operator has none");
		T value;
		memcpy(&value, Facts::identity, sizeof value);
		return value;
	}
};

/* An element as the array has it becomes a value; index is its place in the whole array. */
template <class P> __device__ __forceinline__ typename P::value load_element(const typename P::input &from, u64 index)
{
	if constexpr (P::has_load && sizeof(typename P::value) > SCAN_LARGE_BYTES) {
		return call_load<typename P::value>(from, index); /* made where it will lie */
	} else if constexpr (P::has_load) {
		typename P::value value = call_load<typename P::value>(from, index);
		settle(value);
		return value;
	} else {
		return convert<typename P::value>(from, index);
	}
}

template <class P> __device__ __forceinline__ typename P::output store_element(const typename P::value &from)
{
	if constexpr (P::has_store)
		return call_store<typename P::output>(from);
	else
		return convert<typename P::output>(from, 0);
}

/* Called by every thread of the block before anything else, where the operator has a state. */
__device__ __forceinline__ void take_state(const void *state)
{
	if constexpr (user_facts::has_state) {
		if (threadIdx.x == 0)
			operator_state = state;
		__syncthreads();
	}
}

} // namespace scan

#endif
