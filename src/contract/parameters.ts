import { ValueLimit } from '../http/body-limits.ts'
import type { CoreRequest } from '../http/message.ts'
import type { InputError } from '../http/problem.ts'
import { largeInteger, roundedValue } from '../validation/large-integers.ts'
import { getOwn, setOwn } from '../validation/objects.ts'
import { EXACT_RANGE, parseJsonText } from './body-content.ts'
import type { Operation, Parameter, ValidationTime } from './contract.ts'
import {
  createFormSource,
  type Delimited,
  type FormSource,
  formNode,
  listNodes,
  objectNodes,
  parsePairs,
  queryNodes,
  type Styled,
} from './form.ts'
import type { CredentialNames } from './input.ts'
import { isJson } from './json.ts'
import {
  type Branches,
  branchesOf,
  type Preference,
  type TextNode,
  textNode,
  typedValue,
  typesOf,
} from './meanings.ts'
import { decodeComponent, INTEGER_PATTERN } from './parse-text.ts'
import { encodeLiteral, parseTemplate } from './path-pattern.ts'
import type { Match } from './router.ts'
import { isValidIn } from './schema.ts'
import { toInputErrors } from './validation-errors.ts'

type Values = Record<string, unknown>

/** The values of the parameters by location, and what is wrong with them. */
export interface ReadParameters {
  readonly path: Values
  readonly query: Values
  /** Absent when the operation has no header parameter. */
  readonly header?: Values
  readonly cookie?: Values
  /** What is wrong with the path. */
  readonly pathErrors: readonly InputError[]
  /** What is wrong with the other parameters. */
  readonly errors: readonly InputError[]
  /** The names in the query that no parameter has. */
  readonly unknownNames: readonly string[]
}

/** OpenAPI ignores parameters with these names (Parameter Object, "in: header"). */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

/** Headers that browsers and HTTP clients set themselves. A document that describes them does not refuse any client. */
export const CLIENT_HEADERS: RegExp =
  /^(accept-.*|cache-control|connection|content-(length|encoding)|cookie|date|dnt|expect|host|if-.*|keep-alive|origin|pragma|prefer|proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|upgrade(-.*)?|user-agent|via)$/

/** How parameters are read. */
export interface ParameterOptions {
  readonly credentials?: CredentialNames | undefined
  /** What the validations of the request took until now. */
  readonly time: ValidationTime
  /** Whether integers are taken that JavaScript does not hold exactly. */
  readonly takesLargeIntegers: boolean
}

/** Reads all parameters of a request, in the style that the document gives each of them. Their checks share `time`. */
export function readParameters(
  { parameters, secured }: Operation,
  sentPath: Match['pathParameters'],
  request: CoreRequest,
  options: ParameterOptions,
): ReadParameters {
  const read = { path: {}, query: {}, header: {}, cookie: {} }
  const pathErrors: InputError[] = []
  const errors: InputError[] = []
  const query = querySource(parameters, request)
  const cookies = cookieReader(request)
  for (const parameter of parameters) {
    const { name, in: place } = parameter
    const nodes = nodesOf(parameter, { request, sentPath, query, cookies })
    if (!nodes || (secured && isCredential(parameter, request, options.credentials))) continue
    const { value, errors: found } = parameterValue(parameter, nodes, options)
    const list = place === 'path' ? pathErrors : errors
    list.push(...found)
    if (value === undefined) continue
    if (place === 'querystring') Object.assign(read.query, value)
    else setOwn(read[place], name, value)
  }
  const unknownNames = [...query.pairs.keys()].filter((name) => !query.used.has(name))

  const { path, query: values, header, cookie } = read
  const has = (place: Parameter['in']): boolean => parameters.some((one) => one.in === place)

  return {
    path,
    query: values,
    ...(has('header') && { header }),
    ...(has('cookie') && { cookie }),
    pathErrors,
    errors,
    unknownNames,
  }
}

/** The message of a path names the parameter only. */
function locationOf({ name, in: place }: Parameter): string {
  if (place === 'querystring') return 'query'
  return place === 'path' ? name : `${place}.${name}`
}

interface Sources {
  readonly request: CoreRequest
  readonly sentPath: Match['pathParameters']
  readonly query: FormSource
  readonly cookies: (parameter: Parameter) => readonly TextNode[]
}

/** The possible meanings of a parameter; `undefined` for one that is not read. */
function nodesOf(parameter: Parameter, sources: Sources): readonly TextNode[] | undefined {
  const { request, query, cookies } = sources
  switch (parameter.in) {
    case 'path':
      return pathParameterNodes(parameter, sources)
    case 'query':
      return parameter.mediaType === undefined
        ? queryNodes(parameter, query)
        : contentNodes(parameter, wholeNodes(parameter, query))
    case 'querystring':
      return querystringNodes(parameter, request.query, query)
    case 'header':
      return headerParameterNodes(parameter, request)
    default:
      return contentNodes(parameter, cookies(parameter))
  }
}

/** Some documents write parameters of the query into the path, as in `/books?author={author}`. */
function pathParameterNodes(
  parameter: Parameter,
  { sentPath, query }: Sources,
): readonly TextNode[] | undefined {
  const { name, mediaType } = parameter
  const raw = getOwn(sentPath, name)
  if (raw === undefined) {
    return query.pairs.has(name) ? queryNodes({ ...parameter, style: 'form' }, query) : undefined
  }
  if (mediaType === undefined) return pathNodes(parameter, raw)
  return contentNodes(parameter, [textNode([decodeComponent(raw)])])
}

function headerParameterNodes(
  parameter: Parameter,
  request: CoreRequest,
): readonly TextNode[] | undefined {
  const key = parameter.name.toLowerCase()
  if (IGNORED_HEADERS.has(key) || CLIENT_HEADERS.test(key)) return undefined
  const value = request.header(key)
  if (value === undefined) return []
  const nodes = headerNodes(parameter, value)

  return parameter.mediaType === undefined
    ? nodes
    : contentNodes(parameter, [textNode([value]), ...nodes])
}

/** The text of a parameter with `content`, which has no style. */
function wholeNodes({ name }: Parameter, { pairs, used, decode }: FormSource): readonly TextNode[] {
  const raws = pairs.get(name)
  if (!raws) return []
  used.add(name)
  return [textNode(raws.map(decode))]
}

function querySource(parameters: readonly Parameter[], { query }: CoreRequest): FormSource {
  const names = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
  return createFormSource(parsePairs(query), names)
}

/**
 * Reads cookies: in the style `form` a value is percent-encoded, and the items of an exploded list or object are separated by `&`;
 * in the style `cookie` it is not encoded, and they are cookies of their own.
 */
function cookieReader({ header }: CoreRequest): Sources['cookies'] {
  const text = header('cookie') ?? ''
  const trim = (raw: string): string => raw.trim().replace(/^"(.*)"$/, '$1')
  return (parameter) => {
    const isForm = parameter.style !== 'cookie'
    const separator = isForm && parameter.explode !== false ? /[;&]/ : /;/
    const pairs = parsePairs(text, separator).map(({ name, raw }) => ({
      name: name.trim(),
      raw: trim(raw),
    }))
    const decode = isForm ? decodeComponent : (raw: string): string => raw
    return queryNodes({ ...parameter, style: 'form' }, createFormSource(pairs, [], decode))
  }
}

/**
 * The check of credentials is the one that refuses a request without them. A header such as `token` is another place for what
 * `Authorization` has.
 */
function isCredential(
  { name, in: place }: Parameter,
  request: CoreRequest,
  credentials: CredentialNames | undefined,
): boolean {
  if (place === 'header') {
    const lower = name.toLowerCase()
    if (TOKEN.test(lower) && request.header('authorization') !== undefined) return true
    return credentials?.namesOf(place).includes(lower) ?? false
  }
  return place === 'cookie' && (credentials?.namesOf(place).includes(name) ?? false)
}

const TOKEN = /^(x-)?((auth|access|api)[-_]?)?(token|key)$/

/** A value that was read, or why it is not valid. */
export interface ReadValue {
  /** The valid value, or the first meaning of one that is not valid. */
  readonly value?: unknown
  readonly errors: readonly InputError[]
}

/** All values that a node may mean, the most probable one first. */
export function* meanings(
  node: TextNode,
  branches: Branches,
  limit: ValueLimit,
): Generator<unknown> {
  const others = new Set<Preference>()
  yield typedValue(node, branches, { preference: 'type', others, limit: limit.copy() })
  for (const preference of [...others])
    yield typedValue(node, branches, { preference, others, limit: limit.copy() })
}

/**
 * The value of a parameter: the first meaning of what was sent that its schema allows. Without a meaning, it was not sent, and its
 * value is the default, if that is valid. A parameter that is required must be sent, even if it has a default.
 */
function parameterValue(
  parameter: Parameter,
  nodes: readonly TextNode[],
  { time, takesLargeIntegers }: ParameterOptions,
): ReadValue {
  const location = locationOf(parameter)
  const [first] = nodes
  if (!first) return missingValue(parameter, location, time)
  const isEmpty = first.texts.length === 1 && first.texts[0] === ''
  if (isEmpty && parameter.allowEmptyValue) return { value: '', errors: [] }
  const branches = branchesOf(parameter.schema)
  let failed: ReadValue = { errors: [] }
  for (const node of nodes) {
    for (const value of meanings(node, branches, ValueLimit.ofBody(0))) {
      if (isValidIn(time, parameter.validate, value)) return { value, errors: [] }
      if (failed.errors.length === 0)
        failed = { value, errors: errorsOf(parameter, location, value) }
    }
  }
  const large = takesLargeIntegers ? largeValue(first.texts, parameter, time) : undefined
  return large === undefined
    ? refused(failed, location, first.texts, branches)
    : { value: large, errors: [] }
}

/** What is wrong with a parameter: first, what is wrong with its texts. */
function refused(
  failed: ReadValue,
  location: string,
  texts: readonly string[],
  branches: Branches,
): ReadValue {
  const message = messageOf(texts, branches)
  return message === undefined ? failed : { ...failed, errors: [{ location, message }] }
}

/** The integer in a text that JavaScript does not hold exactly, where the nearest number is valid. */
function largeValue(
  texts: readonly string[],
  { validate }: Parameter,
  time: ValidationTime,
): string | undefined {
  const large = texts.length === 1 ? largeInteger(texts.join()) : undefined
  return large !== undefined && isValidIn(time, validate, roundedValue(large)) ? large : undefined
}

function missingValue(parameter: Parameter, location: string, time: ValidationTime): ReadValue {
  const { schema, validate, required } = parameter
  if (required && !isOptionalObject(parameter))
    return { errors: [{ location, keyword: 'required', message: 'is required' }] }
  const preset = schema.default
  const isPreset = preset !== undefined && isValidIn(time, validate, preset)

  return { ...(isPreset && { value: preset }), errors: [] }
}

/** What is wrong with texts whatever the schema says of their values. */
function messageOf(texts: readonly string[], branches: Branches): string | undefined {
  if (texts.includes('')) return 'must not be empty'
  return texts.length > 1 && !typesOf(branches).has('array') ? 'must be given once' : undefined
}

/** Whether nothing is a valid text of an object: each of its properties is a parameter of its own, and none is required. */
function isOptionalObject({ schema, validate, style, in: place, explode }: Parameter): boolean {
  const isSpread = place === 'query' && (style === 'deepObject' || explode !== false)
  return isSpread && typesOf(branchesOf(schema)).has('object') && validate({})
}

/** The nodes of a parameter whose text is of a media type. JSON is parsed; other texts are values by the schema. */
function contentNodes(
  { mediaType = '' }: Parameter,
  nodes: readonly TextNode[],
): readonly TextNode[] {
  if (!isJson(mediaType.toLowerCase())) return nodes
  return nodes.flatMap((node) => {
    const value = parseJsonText(node.texts[0] ?? '', ValueLimit.ofBody(0))
    return value === undefined ? [node] : [{ ...node, value }, node]
  })
}

/** The errors of a parameter. An integer that is still a string is one that JavaScript cannot represent exactly. */
function errorsOf(
  { schema, validate }: Pick<Parameter, 'schema' | 'validate'>,
  location: string,
  value: unknown,
): readonly InputError[] {
  const isInteger = typeof value === 'string' && INTEGER_PATTERN.test(value)
  return isInteger && [schema.type].flat().includes('integer')
    ? [{ location, message: `must be an integer ${EXACT_RANGE}` }]
    : toInputErrors(location, validate.errors ?? [])
}

/** Values may have dots, too, which no client encodes (RFC 3986, section 2.3). */
const DOT_BEFORE_NAME = /\.(?=[^.=]*=)/

/** The possible meanings of a path parameter in the style `simple`, `label` or `matrix`, as documented first. */
function pathNodes(parameter: Styled, raw: string): readonly TextNode[] {
  const { style = 'simple', explode = false, name } = parameter
  if (style === 'label' && raw.startsWith('.')) {
    const text = raw.slice(1)
    const comma = valueNodes(parameter, text, { delimiter: /,/, decode: decodeComponent })
    const dot = {
      delimiter: /\./,
      beforeName: DOT_BEFORE_NAME,
      decode: decodeComponent,
      hasNames: explode,
    }
    // Versions of OpenAPI before 3.0.4 have `.` between the items in both cases.
    return explode ? valueNodes(parameter, text, dot) : [...comma, ...dotted(parameter, text, dot)]
  }
  if (style === 'matrix' && raw.startsWith(';')) return matrixNodes(parameter, raw.slice(1))
  const simple = { delimiter: /,/, decode: decodeComponent, hasNames: explode }

  return valueNodes({ ...parameter, name }, raw, simple)
}

function dotted(parameter: Styled, text: string, dot: Delimited): readonly TextNode[] {
  return text.includes('.') ? valueNodes(parameter, text, dot) : []
}

/** `;color=blue,black`, or `;color=blue;color=black` where it is exploded. */
function matrixNodes(parameter: Styled, text: string): readonly TextNode[] {
  const { name, explode = false, schema } = parameter
  const types = typesOf(branchesOf(schema))
  const start = `${name}=`
  if (explode && types.has('array')) {
    const texts = text
      .split(';')
      .map((part) => (part.startsWith(start) ? part.slice(start.length) : part))
    return [textNode(texts.map(decodeComponent))]
  }
  if (explode && types.has('object')) {
    return objectNodes(text, { delimiter: /;/, hasNames: true, decode: decodeComponent })
  }
  const named = text === name ? start : text
  const value = named.startsWith(start) ? named.slice(start.length) : named

  return valueNodes(parameter, value, { delimiter: /,/, decode: decodeComponent })
}

/** The possible meanings of a header in the style `simple`: as it was sent, else with its percent-encoding decoded. */
function headerNodes(parameter: Styled, value: string): readonly TextNode[] {
  const { explode = false } = parameter
  const plain = { delimiter: /\s*,\s*/, hasNames: explode, decode: (raw: string) => raw }
  const nodes = valueNodes(parameter, value.trim(), plain)
  if (!value.includes('%')) return nodes

  return [...nodes, ...valueNodes(parameter, value.trim(), { ...plain, decode: decodeComponent })]
}

function valueNodes({ schema }: Styled, raw: string, delimited: Delimited): readonly TextNode[] {
  const types = typesOf(branchesOf(schema))
  const whole = textNode([delimited.decode(raw)])

  return [
    ...(types.has('object') ? bothObjectNodes(raw, delimited) : []),
    ...(types.has('array') ? listNodes([raw], delimited) : []),
    whole,
  ]
}

/** An exploded object may also be sent as one that is not. */
function bothObjectNodes(raw: string, delimited: Delimited): readonly TextNode[] {
  const nodes = objectNodes(raw, delimited)
  if (!delimited.hasNames || nodes.length > 0) return nodes
  return objectNodes(raw, { ...delimited, hasNames: false })
}

/** The possible meanings of the whole query by its media type (`in: querystring`, OpenAPI 3.2). */
function querystringNodes(
  { schema, mediaType = 'application/x-www-form-urlencoded' }: Parameter,
  query: string,
  source: FormSource,
): readonly TextNode[] {
  if (query === '') return []
  for (const name of source.pairs.keys()) source.used.add(name)
  if (mediaType === 'application/x-www-form-urlencoded')
    return [formNode(schema, source, ValueLimit.ofBody(0))]
  const text = decodeComponent(query)
  const value = isJson(mediaType) ? parseJsonText(text, ValueLimit.ofBody(0)) : undefined

  return [value === undefined ? textNode([text]) : { ...textNode([text]), value }]
}

/** How many splits of a path are tried, and in how many steps they are looked for. */
const MAX_SPLITS = 100
const MAX_STEPS = 2000

const SEVERAL_IN_ONE_SEGMENT = /\}[^/]*\{/

/**
 * The ways to split a path among its parameters, where a segment has several, such as `/{from}{to}`. The first parameters match as
 * much as they can in the first ones. A long path has more ways than are returned.
 */
export function* otherSplits(
  template: string,
  sent: Match['pathParameters'],
): Generator<Match['pathParameters']> {
  if (!SEVERAL_IN_ONE_SEGMENT.test(template)) return
  const { literals, names } = parseTemplate(template)
  const [, ...between] = literals.map(encodeLiteral)
  between.pop()
  const path = names.map((name, at) => (getOwn(sent, name) ?? '') + (between[at] ?? '')).join('')
  const budget = { steps: MAX_STEPS }
  let count = 0
  for (const values of splits(path, between, budget)) {
    if (count === MAX_SPLITS) return
    count += 1
    yield Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
  }
}

/** The values of the parameters between literal texts. A value is never empty, and is in one segment. */
function* splits(
  text: string,
  [literal, ...others]: readonly string[],
  budget: { steps: number },
): Generator<readonly string[]> {
  const slash = text.indexOf('/')
  const end = slash === -1 ? text.length : slash
  if (literal === undefined) {
    if (text !== '' && slash === -1) yield [text]
    return
  }
  for (let at = end; at > 0 && budget.steps > 0; at -= 1) {
    budget.steps -= 1
    if (!text.startsWith(literal, at) || isInEscape(text, at)) continue
    for (const values of splits(text.slice(at + literal.length), others, budget)) {
      yield [text.slice(0, at), ...values]
    }
  }
}

/** Whether a position is inside of a percent-encoded octet. */
function isInEscape(text: string, at: number): boolean {
  return text[at - 1] === '%' || text[at - 2] === '%'
}
