/** The quality of a media range, from 0 to 1, and how exactly it names the type. */
interface Preference {
  readonly quality: number
  readonly precision: number
}

/** A valid weight (RFC 9110, section 12.4.2). */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Whether an `Accept` header names HTML and prefers it to JSON, as browsers do when they open a page (RFC 9110, section
 * 12.5.1). `*` in place of the type names nothing.
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const html = preferenceFor('text', 'html', accept)
  const other = preferenceFor('application', 'json', accept)

  return html.precision > 0 && html.quality > other.quality
}

/** The preference for a type: of the ranges that contain it, the most precise one decides. */
function preferenceFor(type: string, subtype: string, accept: string): Preference {
  let found: Preference = { quality: 0, precision: -1 }
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const precision = [`*/*`, `${type}/*`, `${type}/${subtype}`].indexOf(name)
    if (precision > found.precision) found = { quality: qualityIn(parameters), precision }
  }
  return found
}

/** An invalid weight counts as none, so that the range is not preferred. */
function qualityIn(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
  if (weight === undefined) return 1
  const text = weight.replace(/^q\s*=\s*/, '')

  return WEIGHT.test(text) ? Number(text) : 0
}
