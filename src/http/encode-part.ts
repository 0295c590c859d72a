/** Half of a character, which JSON can contain and URLs cannot. */
const LONE_SURROGATE = /\p{Surrogate}/gu

/** Encodes a part of a URL. Unlike `encodeURIComponent`, it throws for no text: half of a character becomes U+FFFD. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD'))
}
