#pragma once

// Private to this folder.
#include <cstdint>
#include <string>
#include <vector>

#include "framework/media/file_pass.h"

// May the frames of a file be numbered from a scan of its packets, without decoding them all?
namespace kinema::media {

// Why there is no point in a scan; empty when there is.
std::string unscannable(const Container& container, const Bitstream& bitstream);

// Why a scan may not be believed; empty when it may.
std::string scan_doubt(const Pass& pass, const Container& container, const Bitstream& bitstream);

// Packets in the order of their display. By picture type: a reference picture waits for the next one.
std::vector<std::uint32_t> display_order(const Pass& pass, bool by_type);

// Parameter sets inside packets must be the same everywhere and come with every entry: only then does the
// order of reads not matter.
bool parameters_allow_entries(const Pass& pass);
// Whether what a decoder learned at the end of the file is wrong for its beginning.
bool parameters_change(const Pass& pass);

}  // namespace kinema::media
