#include "net/encoding.h"

#include <brotli/decode.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "net/http.h"

namespace openseat::net {
namespace {

std::string Unpacked(Coding coding, const std::string& packed, std::size_t size) {
  std::string out(size, '\0');
  std::size_t used = size;
  if (coding == Coding::kBrotli) {
    if (BrotliDecoderDecompress(packed.size(), reinterpret_cast<const std::uint8_t*>(packed.data()), &used,
                                reinterpret_cast<std::uint8_t*>(out.data())) != BROTLI_DECODER_RESULT_SUCCESS) {
      return "not brotli";
    }
  } else {
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(size);
    const int result = inflate(&stream, Z_FINISH);
    used = stream.total_out;
    inflateEnd(&stream);
    if (result != Z_STREAM_END) return "not gzip";
  }
  out.resize(used);
  return out;
}

HttpResponse TextOf(std::size_t size) {
  return HttpResponse::Text(200, std::string(size, 'a'));
}

TEST(Encoding, TakesWhatTheClientLikesBest) {
  const auto best = [](std::string_view accept) { return CodingName(BestCoding(accept)); };
  EXPECT_EQ(best(""), "identity");
  EXPECT_EQ(best("identity"), "identity");
  EXPECT_EQ(best("deflate"), "identity");
  EXPECT_EQ(best("gzip, deflate, br, zstd"), "br");
  EXPECT_EQ(best("gzip, deflate"), "gzip");
  EXPECT_EQ(best("GZIP"), "gzip");
  EXPECT_EQ(best("x-gzip"), "gzip");
  EXPECT_EQ(best("*"), "br");
  EXPECT_EQ(best("br;q=0, *"), "gzip");
  EXPECT_EQ(best("br;q=0.5, gzip;q=0.8"), "gzip");
  EXPECT_EQ(best("br ; q=0.5 , gzip;q=0.2"), "br");
  EXPECT_EQ(best("gzip;q=0"), "identity");
  EXPECT_EQ(best("gzip;q=0.0, br;q=0"), "identity");
  EXPECT_EQ(best("gzip;q=much"), "identity");
  EXPECT_EQ(best("gzip;q=7, br;q=-1"), "identity");
  EXPECT_EQ(best("gzip;x=1;Q=0.1"), "gzip");
  EXPECT_EQ(best(",,;;q,gzip"), "gzip");
  EXPECT_EQ(BestCoding("gzip, br", false), Coding::kGzip);
  EXPECT_EQ(BestCoding("gzip, br", true, false), Coding::kBrotli);
  EXPECT_EQ(BestCoding("gzip, br", false, false), Coding::kIdentity);
}

TEST(Encoding, ComesBackAsItWas) {
  std::string text;
  for (int i = 0; text.size() < 300'000; ++i) text += "{\"number\":" + std::to_string(i * 7919) + "},";
  for (const Coding coding : {Coding::kGzip, Coding::kBrotli}) {
    const std::optional<std::string> packed = Compress(coding, text);
    ASSERT_TRUE(packed.has_value());
    EXPECT_LT(packed->size(), text.size() / 3);
    EXPECT_EQ(Unpacked(coding, *packed, text.size()), text);
  }
}

TEST(Encoding, LeavesWhatDoesNotGetSmaller) {
  std::string noise;
  for (std::uint32_t x = 1; noise.size() < 5000;) {
    x = x * 1664525u + 1013904223u;
    noise.push_back(static_cast<char>(x >> 24));
  }
  for (const Coding coding : {Coding::kGzip, Coding::kBrotli}) EXPECT_FALSE(Compress(coding, noise).has_value());
}

TEST(Encoding, CompressesTextThatIsLargeAndNotSecret) {
  EXPECT_TRUE(MayCompress(TextOf(kLeastCompressed)));
  EXPECT_FALSE(MayCompress(TextOf(kLeastCompressed - 1)));
  HttpResponse json = TextOf(5000);
  json.headers.Set("Content-Type", "application/json");
  EXPECT_TRUE(MayCompress(json));
  json.secret = true;
  EXPECT_FALSE(MayCompress(json));
  HttpResponse image = TextOf(5000);
  image.headers.Set("Content-Type", "image/png");
  EXPECT_FALSE(MayCompress(image));
  HttpResponse events = TextOf(5000);
  events.headers.Set("Content-Type", "text/event-stream");
  EXPECT_FALSE(MayCompress(events));
  HttpResponse coded = TextOf(5000);
  coded.headers.Set("Content-Encoding", "gzip");
  EXPECT_FALSE(MayCompress(coded));
  HttpResponse made = TextOf(5000);
  made.status = 201;
  EXPECT_FALSE(MayCompress(made));
}

TEST(Encoding, BoundsWhatWaits) {
  CompressionQueue queue;
  EXPECT_TRUE(queue.Enter(10u << 20));
  EXPECT_FALSE(queue.Enter(10u << 20));
  EXPECT_TRUE(queue.Enter(5u << 20));
  queue.Leave(10u << 20);
  EXPECT_TRUE(queue.Enter(10u << 20));
}

}  // namespace
}  // namespace openseat::net
