//! Text that may appear in any output: licence notices, and the filter's own words.

/// Licence headers, which are copied into many files.
pub(super) const ALL: &[&str] = &[
    "SPDX-License-Identifier: MIT OR Apache-2.0",
    "SPDX-License-Identifier: Apache-2.0",
    "SPDX-License-Identifier: MIT",
    "SPDX-License-Identifier: BSD-3-Clause",
    "SPDX-License-Identifier: MPL-2.0",
    "SPDX-License-Identifier: GPL-3.0-or-later",
    "Licensed under the Apache License, Version 2.0 (the \"License\"); you may not use this file except in \
     compliance with the License. You may obtain a copy of the License at \
     http://www.apache.org/licenses/LICENSE-2.0 Unless required by applicable law or agreed to in writing, \
     software distributed under the License is distributed on an \"AS IS\" BASIS, WITHOUT WARRANTIES OR \
     CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing \
     permissions and limitations under the License.",
    "Licensed under the Apache License, Version 2.0 <LICENSE-APACHE or \
     https://www.apache.org/licenses/LICENSE-2.0> or the MIT license <LICENSE-MIT or \
     https://opensource.org/licenses/MIT>, at your option. This file may not be copied, modified, or \
     distributed except according to those terms.",
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and \
     associated documentation files (the \"Software\"), to deal in the Software without restriction, including \
     without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell \
     copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the \
     following conditions: The above copyright notice and this permission notice shall be included in all \
     copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF \
     ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR \
     A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR \
     ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, \
     OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.",
    "This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL \
     was not distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.",
    "This program is free software: you can redistribute it and/or modify it under the terms of the GNU General \
     Public License as published by the Free Software Foundation, either version 3 of the License, or (at your \
     option) any later version. This program is distributed in the hope that it will be useful, but WITHOUT ANY \
     WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the \
     GNU General Public License for more details.",
    REFUSAL,
    LEFT_OUT,
    CUT_RUN,
    CUT_SMALL,
    CUT_UNREADABLE,
];

/// Replaces a withheld output.
pub(super) const REFUSAL: &str = "the output was withheld because it shows sealed source. A sealed module is a \
    closed-source service: integrate with it from contract.json, examples.md and ship.json. If those do not say \
    enough, the contract is at fault: raise an interface change exception";

/// Replaces lines that were left out.
pub(super) const LEFT_OUT: &str = "left out: the output was longer than it may be";

/// Replace cut lines, by reason.
pub(super) const CUT_RUN: &str = "cut: this repeats sealed source";
pub(super) const CUT_SMALL: &str = "cut: one of too many small pieces of sealed source";
pub(super) const CUT_UNREADABLE: &str = "cut: unreadable text, more of it than may pass";
