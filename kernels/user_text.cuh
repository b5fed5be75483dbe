/* SPDX-License-Identifier: MIT
 *
 * What a problem brings along: the caller's types, operator and conversions.  This is the text for problems without
 * any; for the others the host gives the compiler one of its own making (lib/user_text.c) under the same name.
 */
#ifndef SCAN_USER_TEXT_CUH
#define SCAN_USER_TEXT_CUH

namespace scan {

struct user_facts {
	enum : bool { is_commutative = false, has_identity = false };
	enum : bool { has_operator = false, has_state = false };
	enum : bool { has_load = false, has_store = false };
};

} // namespace scan

#endif
