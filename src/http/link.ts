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
