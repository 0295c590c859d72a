import { encodePart } from '../../../http/encode-part.ts'
import type { Replay } from '../traffic/replay.ts'
import { type Credential, credentialText } from './credentials.ts'
import type { OperationDetails, Pair, SampleRequest } from './operation-types.ts'

/** A parameter in a form. A parameter with several values has one entry for each. */
export interface ParameterEntry {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  /** An optional parameter with an empty text is not sent. */
  readonly text: string
  readonly required: boolean
  /** The values that the document lists. */
  readonly choices: readonly string[]
  readonly hint: string
}

/** What is typed for a request. */
export interface RequestForm {
  /** The path before that of the operation: the world and the base path. */
  readonly prefix: string
  readonly parameters: readonly ParameterEntry[]
  readonly body: string
  readonly contentType: string
  /** Empty: without a key. */
  readonly key: string
  /** The `Prefer` header; empty for none. */
  readonly prefer: string
}

type Details = Pick<OperationDetails, 'method' | 'path' | 'parameters' | 'body'>

const PARAMETER = /\{([^{}/]+)\}/

/** The form for an operation, with the values of a valid request. */
export function toForm(details: Details, sample: SampleRequest, key: string): RequestForm {
  const { prefix, values } = readPath(withoutQuery(details.path), sample.path)
  return {
    prefix,
    parameters: [
      ...entriesOf(details, 'path', values),
      ...entriesOf(details, 'query', sample.query),
      ...entriesOf(details, 'header', sample.headers),
    ],
    body: readable(sample.body ?? ''),
    contentType: sample.contentType ?? details.body?.contentTypes[0] ?? '',
    key,
    prefer: '',
  }
}

/** The request of a form. `site` is the address of the server. */
export function toRequest(
  details: Details,
  form: RequestForm,
  { site, credentials }: { readonly site: string; readonly credentials: readonly Credential[] },
): Replay {
  const { prefix, parameters, body, contentType, key, prefer } = form
  const sent = parameters.filter(({ text, required }) => required || text !== '')
  const pairs = (place: 'query' | 'header'): readonly Pair[] => [
    ...sent.filter((one) => one.in === place).map(({ name, text }): Pair => [name, text]),
    ...credentialPairs(credentials, place, key),
  ]
  const query = pairs('query')
    .map((pair) => pair.map(encodePart).join('='))
    .join('&')
  const path = fillPath(withoutQuery(details.path), sent)
  const hasBody = body !== '' && details.body !== undefined

  return {
    url: `${site}${prefix}${path}${query && `?${query}`}`,
    method: details.method,
    headers: [
      ...pairs('header'),
      ...(hasBody && contentType !== '' ? [['Content-Type', contentType] as const] : []),
      ...(prefer === '' ? [] : [['Prefer', prefer] as const]),
    ],
    ...(hasBody && { body: withLineBreaks(body, contentType) }),
  }
}

function credentialPairs(
  credentials: readonly Credential[],
  place: 'query' | 'header',
  key: string,
): readonly Pair[] {
  if (key === '') return []
  return credentials
    .filter((one) => one.in === place)
    .map((one): Pair => [one.name, credentialText(one, key)])
}

/** An entry for each value of the sample, and an empty one for each parameter without a value. */
function entriesOf(
  { parameters }: Details,
  place: ParameterEntry['in'],
  pairs: readonly Pair[],
): readonly ParameterEntry[] {
  const documented = parameters.filter((one) => one.in === place)
  const isOf = (name: string, [given]: Pair): boolean =>
    place === 'header'
      ? given.toLowerCase() === name.toLowerCase()
      : given === name || given.startsWith(`${name}[`)
  const entries = documented.flatMap(({ name, required, schema }): readonly ParameterEntry[] => {
    const own = pairs.filter((pair) => isOf(name, pair))
    const values = own.length > 0 ? own : [[name, ''] as const]
    const description = typeof schema.description === 'string' ? schema.description : ''
    const choices = (schema.enum ?? []).map(String)
    const hint = description || [schema.type, schema.format].flat().filter(Boolean).join(', ')
    return values.map(([given, text]) => ({
      in: place,
      name: given,
      text,
      required,
      choices,
      hint,
    }))
  })
  const further = pairs.filter((pair) => !documented.some(({ name }) => isOf(name, pair)))

  return [
    ...entries,
    ...further.map(([name, text]): ParameterEntry => {
      return { in: place, name, text, required: false, choices: [], hint: '' }
    }),
  ]
}

/** The values in a path that ends as the template. */
function readPath(
  template: string,
  path: string,
): { readonly prefix: string; readonly values: readonly Pair[] } {
  const parts = template.split(PARAMETER)
  const names = parts.filter((_, at) => at % 2 === 1)
  const pattern = parts.map((part, at) => (at % 2 === 1 ? '([^/]*?)' : escapePattern(part)))
  const [whole, ...values] = new RegExp(`${pattern.join('')}$`).exec(path) ?? []
  if (whole === undefined) return { prefix: '', values: [] }

  return {
    prefix: path.slice(0, path.length - whole.length),
    values: names.map((name, at): Pair => [name, decodePart(values[at] ?? '')]),
  }
}

function fillPath(template: string, entries: readonly ParameterEntry[]): string {
  return template.replace(/\{([^{}/]+)\}/g, (_, name: string) => {
    const entry = entries.find((one) => one.in === 'path' && one.name === name)
    return encodePart(entry?.text ?? '')
  })
}

/** JSON in lines. Other texts stay, and so do numbers that JavaScript would alter. */
function readable(text: string): string {
  if (!/^\s*[[{]/.test(text) || /\d{16}/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Some documents have parameters of the query in their paths. They are in the query of the sample. */
function withoutQuery(path: string): string {
  return path.split('?')[0] ?? ''
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A text field has no carriage returns, which the parts of a multipart body need (RFC 2046, section 4.1.1). */
function withLineBreaks(body: string, contentType: string): string {
  return contentType.startsWith('multipart/') ? body.replace(/\r?\n/g, '\r\n') : body
}
