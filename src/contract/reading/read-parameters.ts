import type { CoreRequest } from '../../http/message.ts'
import type { InputError } from '../../http/problem.ts'
import { getOwn, setOwn } from '../../validation/objects.ts'
import type { Operation, Parameter, ValidationTime } from '../contract.ts'
import type { CredentialNames } from '../input.ts'
import { decodeComponent } from '../parse-text.ts'
import type { Match } from '../router.ts'
import { headerNodes, pathNodes } from './other-nodes.ts'
import { contentNodes, parameterValue } from './parameter-value.ts'
import { createFormSource, type FormSource, queryNodes } from './query-nodes.ts'
import { querystringNodes } from './querystring.ts'
import { parsePairs } from './sent-pairs.ts'
import { type TextNode, textNode } from './text-node.ts'

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

/** Reads all parameters of a request, in the style that the document gives each of them. Their checks share `time`. */
export function readParameters(
  { parameters, secured }: Operation,
  sentPath: Match['pathParameters'],
  request: CoreRequest,
  credentials?: CredentialNames,
  time: ValidationTime = { used: 0 },
): ReadParameters {
  const read = { path: {}, query: {}, header: {}, cookie: {} }
  const pathErrors: InputError[] = []
  const errors: InputError[] = []
  const query = querySource(parameters, request)
  const cookies = cookieReader(request)
  for (const parameter of parameters) {
    const { name, in: place } = parameter
    const nodes = nodesOf(parameter, { request, sentPath, query, cookies })
    if (!nodes || (secured && isCredential(parameter, credentials))) continue
    const { value, errors: found } = parameterValue(parameter, locationOf(parameter), nodes, time)
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

/** The check of credentials is the one that refuses a request without them. */
function isCredential(
  { name, in: place }: Parameter,
  credentials: CredentialNames | undefined,
): boolean {
  if (place === 'header') return credentials?.namesOf(place).includes(name.toLowerCase()) ?? false
  return place === 'cookie' && (credentials?.namesOf(place).includes(name) ?? false)
}
