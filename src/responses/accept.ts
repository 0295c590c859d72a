/** One media range of an `Accept` header, with its quality from 0 to 1. */
interface AcceptedRange {
  readonly range: string
  readonly quality: number
}

/** The media ranges of an `Accept` header (RFC 9110, section 12.5.1). Parameters other than `q` are ignored. */
export function parseAccept(header: string): readonly AcceptedRange[] {
  return header
    .toLowerCase()
    .split(',')
    .map((element) => element.split(';').map((part) => part.trim()))
    .filter(([range = '']) => range.includes('/'))
    .map(([range = '', ...parameters]) => ({ range, quality: qualityIn(parameters) }))
}

function qualityIn(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1]
  const quality = Number(text?.trim() || '1')

  return quality >= 0 && quality <= 1 ? quality : 1
}

/** How much a client wants a media type: the quality of the most specific range that has it; 0 when none has. */
export function qualityOf(mediaType: string, accepted: readonly AcceptedRange[]): number {
  const [type = ''] = mediaType.split('/')
  for (const wanted of [mediaType, `${type}/*`, '*/*']) {
    const found = accepted.find(({ range }) => range === wanted)
    if (found) return found.quality
  }
  return 0
}
