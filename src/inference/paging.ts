import type { Operation, Parameter, Schema } from '../contract/contract.ts'
import type { PagingHints } from '../contract/hints.ts'
import {
  isFreeObject,
  isNumeric,
  isObjectSchema,
  listedValues,
  plainName,
  propertiesOf,
  requiredNames,
  typesIn,
} from '../contract/schema.ts'
import { isObject } from '../validation/objects.ts'

/** Which values a parameter must take to have a meaning of paging. Older documents often describe numbers as texts. */
type Kind = 'number' | 'number-or-text' | 'text'

/** The names of a parameter, without spelling, by its meaning. */
interface Rule {
  readonly names: RegExp
  readonly kind: Kind
}

const PAGE: Rule = { names: /^(current)?page(no|num|number|index)?$/, kind: 'number-or-text' }
const CURSOR: Rule = {
  names:
    /^((next|page|start)?cursor|cursormark|(page|next|nextpage|pagination|continuation|start|starting|batch|resumption|skip)token|continuation(key)?|continue|iterator|(next)?marker|bookmark|scrollid|(exclusive)?startkey|next(key|page)|pageafter)$/,
  kind: 'text',
}
/** A name that has other meanings beside an offset. */
const NEXT: Rule = { names: /^next$/, kind: 'text' }
const PREVIOUS: Rule = {
  names: /^prev(ious)?(page)?(cursor|token|key|iterator)?$/,
  kind: 'text',
}
const OFFSET: Rule = {
  names: /^(page)?(offset|skip|startindex|startat|startposition|startrow|firstresult)$/,
  kind: 'number-or-text',
}
/** Names that mean an offset only beside a size. */
const START: Rule = { names: /^(start|from)$/, kind: 'number' }
const AFTER: Rule = {
  names: /^(startingafter|startafter|after|afterid|sinceid)$/,
  kind: 'number-or-text',
}
const BEFORE: Rule = {
  names: /^(endingbefore|endbefore|before|beforeid|maxid)$/,
  kind: 'number-or-text',
}
const SIZE: Rule = {
  names:
    /^(page)?(limit|size|len)$|^(limit)?perpage$|^(items|results|hits|records|entries)perpage$|^max(results?|items|records|rows|return|count|size)$|^batchsize$/,
  kind: 'number-or-text',
}
/** Names that have other meanings too, in texts. */
const SHORT_SIZE: Rule = {
  names: /^(top|take|max|rows|n|first|length|(page)?count|num(results)?)$/,
  kind: 'number',
}

/** How the documented query parameters of a list select its pages; `undefined` when it has none for that. */
export function inferPaging(operation: Operation): PagingHints | undefined {
  const parameters = queryParametersOf(operation).flatMap(membersIn)
  const find = (rule: Rule): QueryParameter | undefined =>
    parameters.find(
      (one) => rule.names.test(one.plain) && isOfKind(one.parameter.schema, rule.kind),
    )
  const sized = (find(SIZE) ?? find(SHORT_SIZE))?.parameter.name
  const size = sized !== undefined && { size: sized }

  const [page, skipped] = [find(PAGE), find(OFFSET)]
  if (page) {
    const beside = skipped && { offset: skipped.parameter.name }
    return { style: 'page', parameter: page.parameter.name, ...size, ...beside, ...firstPage(page) }
  }
  const offset = skipped ?? (size ? find(START) : undefined)
  const cursor = find(CURSOR) ?? (offset ? undefined : find(NEXT))
  if (cursor) {
    const before = find(PREVIOUS)?.parameter.name
    const back = before !== undefined && { before }
    return { style: 'cursor', parameter: cursor.parameter.name, ...size, ...back }
  }
  if (offset)
    return { style: 'offset', parameter: offset.parameter.name, ...size, ...firstOffset(offset) }
  return besideRecord(find, size) ?? (size ? { style: 'offset', ...size } : undefined)
}

/** Objects whose properties select pages, such as `page` of `page[number]=2`. */
const PAGE_GROUP = /^(page|paging|paginat(e|ion))$/

/** What JSON:API has in an object of which the document says nothing. */
const USUAL_MEMBERS = { number: { type: 'integer' }, size: { type: 'integer' } }

/** The parameter, or the properties of an object that selects pages: those of its schema, else of its example, else the usual ones. */
function membersIn(one: QueryParameter): readonly QueryParameter[] {
  const { parameter, plain } = one
  const { name, schema, example = schema.example ?? schema.default } = parameter
  if (!PAGE_GROUP.test(plain) || !isObjectSchema(schema)) return [one]
  const own = Object.fromEntries(propertiesOf(schema))
  const shown = isObject(example) ? Object.keys(example).map((key) => [key, {}] as const) : []
  const known = shown.length > 0 ? Object.fromEntries(shown) : USUAL_MEMBERS
  const members: Readonly<Record<string, Schema>> = isFreeObject(schema) ? known : own
  return Object.entries(members).map(([key, property]) => ({
    parameter: { ...withoutExample(parameter), name: `${name}[${key}]`, schema: property },
    plain: plainName(`page[${key}]`),
  }))
}

function withoutExample({ example: _, ...parameter }: Parameter): Parameter {
  return parameter
}

/** Paging by the record before or after the page. */
function besideRecord(
  find: (rule: Rule) => QueryParameter | undefined,
  size: Pick<PagingHints, 'size'> | false,
): PagingHints | undefined {
  const [after, before] = [find(AFTER), find(BEFORE)].map((one) => one?.parameter.name)
  const isPaging = (after !== undefined && size) || isExplicit(after) || isExplicit(before)

  return isPaging
    ? {
        style: 'after',
        ...(after !== undefined && { parameter: after }),
        ...size,
        ...(before !== undefined && { before }),
      }
    : undefined
}

/** `after` alone may be a time; `starting_after` is not. */
function isExplicit(name: string | undefined): boolean {
  return name !== undefined && /^(start|end)/i.test(name)
}

function isOfKind(schema: Schema, kind: Kind): boolean {
  const types = typesIn(schema)
  const isOther = ['object', 'array', 'boolean'].some((type) => types.has(type))
  if (isOther || /^date/.test(schema.format ?? '')) return false
  if (kind === 'number') return isNumeric(schema)
  if (kind === 'text') return !isNumeric(schema) || types.has('string')

  return listedValues(schema).every((value) => Number.isFinite(Number(value)))
}

/** Pages are counted from 0 when the document says so by a default, an example or the minimum. */
function firstPage({ parameter, plain }: QueryParameter): Pick<PagingHints, 'first'> {
  const { schema, example = schema.example } = parameter
  const [told] = [schema.default, schema.minimum].filter((one) => one !== undefined)
  const isFromZero =
    told === undefined
      ? Number(example ?? 1) === 0 || (plain.endsWith('index') && example === undefined)
      : Number(told) === 0

  return isFromZero ? { first: 0 } : {}
}

/** A start index may be counted from 1. */
function firstOffset({ parameter }: QueryParameter): Pick<PagingHints, 'first'> {
  const { schema } = parameter
  const isFromOne =
    schema.default === undefined ? schema.minimum === 1 : Number(schema.default) === 1

  return isFromOne ? { first: 1 } : {}
}

/** A query parameter, with its name without spelling and without the prefix of a group: `page[size]` is `pagesize`, `paging.limit` is `limit`. */
export interface QueryParameter {
  readonly parameter: Parameter
  readonly plain: string
}

/** Groups of parameters for paging. Their names say nothing that the rest does not. */
const GROUP = /^(?:query_?options|paging|paginate|pagination|filter)[._[]/i

/** The parameters by which a client asks for a list: those of the query, and the properties in the body of a POST. */
export function listParametersOf({ method, parameters, body }: Operation): readonly Parameter[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  if (method !== 'POST' || !body) return inQuery
  const required = requiredNames(body.schema)
  const inBody = [...propertiesOf(body.schema)].map(([name, schema]): Parameter => {
    const { validate } = body
    return { name, in: 'query', required: required.has(name), schema, validate }
  })
  return [...inQuery, ...inBody]
}

/** These parameters of an operation in document order. */
export function queryParametersOf(operation: Operation): readonly QueryParameter[] {
  return listParametersOf(operation).map((parameter) => ({
    parameter,
    plain: plainName(parameter.name.replace(GROUP, '')),
  }))
}
