import type { Schema } from '../contract/contract.ts'
import { SERVICE_VALUES } from '../contract/hints.ts'
import { escapeKey, plainName, propertiesOf, schemaAt, typesIn } from '../contract/schema.ts'
import { isSameWord } from './id-property.ts'
import { escaped } from './path-shape.ts'

// Addresses in a record: its own, those below it and that above it, and names that have all of its path.

/** Where records are, and what requests say of them. */
interface RecordPlace {
  /** The path of one record; absent when no path leads to one. */
  readonly itemPath?: string | undefined
  /** The words of the collections below a record. */
  readonly below: readonly string[]
  /** The properties that a request which creates a record can contain, by their plain names. */
  readonly sent: ReadonlySet<string>
}

/** The places of a record with addresses and full names, and what stands for them in hints. */
export function addressesIn(
  schema: Schema,
  context: RecordPlace,
): readonly (readonly [place: string, rule: string])[] {
  const own = selfPlacesIn(schema, context).map((place) => [place, SERVICE_VALUES.self] as const)
  const full = fullNamesIn(schema, context).map((name) => [name, SERVICE_VALUES.path] as const)
  return [...own, ...linkPlacesIn(schema, context), ...full]
}

/** Where a record has its own address. */
const SELF = [
  ...['self', 'href', 'selfLink', 'self_link', 'selfUrl', 'self_url'],
  ...['/_links/self/href', '/_links/self', '/links/self/href', '/links/self'],
]

/** Names of an address, which is that of the record if the example is. */
const ADDRESS = ['url', 'uri', 'link', 'api_url', 'apiUrl']

function selfPlacesIn(record: Schema, { itemPath, sent }: RecordPlace): readonly string[] {
  const textAt = (name: string): Schema | undefined => {
    const schema = schemaAt(record, name.startsWith('/') ? name : `/${name}`)
    return schema && typesIn(schema).has('string') ? schema : undefined
  }
  if (itemPath === undefined) return []
  const own = SELF.filter((name) => !sent.has(plainName(name)) && textAt(name))
  const shown = ADDRESS.filter((name) => {
    const schema = textAt(name)
    return schema && !sent.has(name) && leadsTo(itemPath, schema.example)
  })

  return [...own, ...shown]
}

/** The objects of a record with its links. */
const LINKS = ['_links', 'links']

/** Where a record has the addresses of the collections below it, and of the record above: `/_links/lines/href`. */
function linkPlacesIn(
  record: Schema,
  { itemPath = '', below, sent }: RecordPlace,
): readonly (readonly [place: string, rule: string])[] {
  const above = /\/([^/{}]+)\/\{[^{}]+\}\/[^/{}]+\/\{[^{}]+\}$/.exec(itemPath)?.[1]
  const groups = LINKS.filter((name) => itemPath !== '' && !sent.has(plainName(name)))
  return groups.flatMap((group) =>
    [...propertiesOf(propertiesOf(record).get(group) ?? {})].flatMap(([name, schema]) => {
      const plain = plainName(name)
      const isAbove = above !== undefined && (plain === 'up' || isSameWord(plain, plainName(above)))
      const word = below.find((one) => isSameWord(plainName(one), plain))
      const relative = word ?? (isAbove ? '..' : undefined)
      const href = propertiesOf(schema).has('href') ? '/href' : ''
      const isText = typesIn(schemaAt(schema, href) ?? {}).has('string')
      const place = `/${group}/${escapeKey(name)}${href}`
      return relative === undefined || !isText ? [] : [[place, `{self ${relative}}`] as const]
    }),
  )
}

const FULL_NAME = /^(fullname|fullpath|pathwithnamespace|namewithowner|qualifiedname)$/

/** The properties with all names in the path of a record, which has those above it as properties: `full_name` beside `owner`. */
function fullNamesIn(record: Schema, { itemPath = '', sent }: RecordPlace): readonly string[] {
  const properties = [...propertiesOf(record)]
  const plain = properties.map(([name]) => plainName(name))
  const parameters = [...itemPath.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => plainName(name))
  const above = parameters.slice(0, -1)
  if (above.length === 0 || !above.every((name) => plain.includes(name))) return []
  return properties.flatMap(([name, schema]) =>
    FULL_NAME.test(plainName(name)) && !sent.has(plainName(name)) && typesIn(schema).has('string')
      ? name
      : [],
  )
}

/** The host or the path of an address of an API, whose pages for people are at another one. */
const API = /^https?:\/\/api[.-]|\/api\/|\/v\d+\//

/** Whether an example is the address of a record, also by another path of the API: it ends with the same words. */
function leadsTo(itemPath: string, example: unknown): boolean {
  if (typeof example !== 'string') return false
  const parts = itemPath.split('/').map((part) => (part.includes('{') ? '[^/?#]+' : escaped(part)))
  const isOwn = new RegExp(`${parts.join('/')}/?$`).test(example)
  const isOther = new RegExp(`/${parts.slice(-2).join('/')}/?$`).test(example)

  return isOwn || (API.test(example) && isOther)
}
