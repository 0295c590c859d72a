/** Headers as pairs of name and value. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** The value of the first header of this lower-case name. */
export function headerIn(headers: HeaderList, name: string): string | undefined {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1]
}

/** The characters of a header name (RFC 9110, section 5.1). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Headers that a document does not decide: of the content and the connection, of CORS, and those that are in every response. Others
 * would act on the whole host, where the control interface and other servers of the developer are, or open another page.
 */
const OWN =
  /^(content-(type|length|encoding)|transfer-encoding|connection|keep-alive|proxy-.+|te|trailer|upgrade|date|access-control-.+|x-sandbox-.+|alt-svc|clear-site-data|cross-origin-opener-policy|nel|refresh|report-to|service-worker-allowed)$/i

/** Whether a header of this name can be sent. */
export function isHeaderName(name: string): boolean {
  return HEADER_NAME.test(name)
}

/** Whether a document may have a header of this name in responses: it can be sent, and has no meaning for the transport. */
export function isDocumentableHeader(name: string): boolean {
  return isHeaderName(name) && !OWN.test(name)
}

/** Whether a text can be a bearer token in an `Authorization` header (RFC 6750, section 2.1). */
export function isBearerToken(text: string): boolean {
  return /^[\w~+/.-]+=*$/.test(text)
}

/** The value of `Cookie`. */
export function cookieHeader(cookies: HeaderList): string {
  return cookies.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
}

/** The headers of a response as they are sent: each line of `Set-Cookie` is a header of its own (RFC 6265, section 3). */
export function sentHeaders(headers: Readonly<Record<string, string>>): [string, string][] {
  const { 'Set-Cookie': cookies, ...others } = headers
  const lines = cookies?.split('\n') ?? []
  return [
    ...Object.entries(others),
    ...lines.map((cookie): [string, string] => ['Set-Cookie', cookie]),
  ]
}

/** A `Link` header with the targets by their relations (RFC 8288); empty when there are none. */
export function linkHeader(targets: Readonly<Record<string, string | undefined>>): string {
  const links = Object.entries(targets).flatMap(([relation, target]) =>
    target === undefined ? [] : `<${target}>; rel="${relation}"`,
  )
  return links.join(', ')
}

/**
 * The target of the first link with this relation in a `Link` header (RFC 8288); `undefined` without such a link. Takes
 * linear time for any header.
 */
export function linkTo(header: string, relation: string): string | undefined {
  let at = 0
  while (at < header.length) {
    const open = header.indexOf('<', at)
    const close = open === -1 ? -1 : header.indexOf('>', open)
    if (close === -1) return undefined
    const end = linkEnd(header, close + 1)
    if (relationsIn(header, close + 1, end).includes(relation.toLowerCase())) {
      return header.slice(open + 1, close)
    }
    at = end + 1
  }
  return undefined
}

/** The end of a link: the comma after its parameters, or the end of the header. */
function linkEnd(header: string, start: number): number {
  return indexOutsideQuotes(header, start, ',')
}

/** The relations in the first `rel` parameter of a link, in lower case. */
function relationsIn(header: string, start: number, end: number): readonly string[] {
  const parameters = header.slice(start, end)
  let at = indexOutsideQuotes(parameters, 0, ';')
  while (at < parameters.length) {
    const next = indexOutsideQuotes(parameters, at + 1, ';')
    const [name = '', value = ''] = splitOnce(parameters.slice(at + 1, next), '=')
    if (name.trim().toLowerCase() === 'rel') return words(value.trim())
    at = next
  }
  return []
}

function words(value: string): readonly string[] {
  const plain = value.startsWith('"') ? value.slice(1).replace(/"$/, '') : value
  return plain.toLowerCase().split(/\s/)
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** The index of a character outside quoted strings; the length of the text when it does not occur there. */
function indexOutsideQuotes(text: string, start: number, searched: string): number {
  let isQuoted = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted && character === '\\') at += 1
    else if (!isQuoted && character === searched) return at
  }
  return text.length
}

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
