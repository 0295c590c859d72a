/** The kind of a header value, for instance `an integer` or `a date`. Two values of one kind are not compared. */
export function headerKind(value: string): string {
  if (/^-?\d+$/.test(value)) return 'an integer'
  if (/^@\d+$/.test(value)) return 'a date as @seconds'
  if (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value)) return 'a date'
  if (/^<[^>]*>\s*;/.test(value)) return describeLinks(value)
  if (/^https?:\/\//.test(value)) return 'a URL'
  if (/^\/\S*$/.test(value)) return 'a path'
  if (/^[\w.+-]+\/[\w.+-]+\s*(;.*)?$/.test(value)) return value.split(';', 1)[0]?.trim() ?? ''

  return 'text'
}

function describeLinks(link: string): string {
  const relations = [...link.matchAll(/rel="?([\w-]+)/g)].map(([, relation]) => relation)
  return `a link: ${[...new Set(relations)].sort().join(', ')}`
}
