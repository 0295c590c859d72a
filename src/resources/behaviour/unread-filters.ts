import type { Parameter } from '../../contract/contract.ts'
import type { FilterHints } from '../../contract/hints.ts'
import { isObjectSchema } from '../../contract/schema.ts'
import type { Note } from '../../journal/exchange.ts'
import { onceByText } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { readProperties } from '../paging/filter-expression.ts'
import { readFilters } from '../paging/read-filters.ts'
import { queryValue } from '../paging/read-page.ts'
import { unknownWords } from '../paging/search-qualifiers.ts'
import type { RecordRequest } from './record-request.ts'

/** Query parameters that say how something is answered, not what. */
const NO_FILTER =
  /^(\$?(fields?|select|expand|include|embed|format|count|with|view)|includes|lang|language|locale|alt|callback|pretty|prettyPrint|access_?token|api_?key|key|token|version|api-version|time_?zone|(fields|limit)\[.*|page.*|per_?page|limit|offset|cursor|(order|sort).*)$/i

/** The query parameters of a list that select, sort and show nothing. */
export function idleParameters({ operation, hints }: ResourceBinding): readonly Parameter[] {
  const { paging, sort, filters = {}, fields, expand } = hints
  const parts = [...Object.values(paging ?? {}), ...Object.values(sort ?? {}), fields, expand]
  // `fields[pets]` may be a property of the parameter `fields`.
  const used = new Set<unknown>(parts.flatMap((one) => [one, String(one).replace(/\[.*$/, '')]))
  const isFilter = ({ name }: Parameter): boolean =>
    Object.keys(filters).some((key) => key === name || key.startsWith(`${name}[`))

  return operation.parameters.filter(
    (one) =>
      one.in === 'query' && !used.has(one.name) && !isFilter(one) && !NO_FILTER.test(one.name),
  )
}

/** Notes of what the query of a list has to select records, and that selects none of them. */
export function unreadFilters(request: RecordRequest): readonly Note[] {
  const { binding, admitted } = request
  const { query } = admitted.request
  const isExact = admitted.service.settings.contract.sandbox?.unknownProperties === 'drop'
  if (binding.action !== 'list' || query === '' || isExact) return []
  const sent = namesIn(query)
  const idle = idleParameters(binding).filter(({ name }) => sent.has(name))
  const members = [...sent].filter((name) => name.includes('[') && isUnreadMember(name, request))
  const unread = Object.entries(binding.hints.filters ?? {}).flatMap(([name, filter]) =>
    sent.has(name) && typeof filter === 'object' ? unreadIn(name, filter, request) : [],
  )
  return [...idle.map(({ name }) => name), ...unread, ...members].map((name) => ({
    kind: 'unread-filter',
    place: `query.${name}`,
  }))
}

const namesIn = onceByText((query) => new Set(new URLSearchParams(query).keys()))

/** Whether a name such as `filter[mood]` is that of a property in a documented object which selects nothing. */
function isUnreadMember(sent: string, { binding, records }: RecordRequest): boolean {
  const { hints, operation } = binding
  const [root = ''] = sent.split('[')
  const parameters = operation.parameters.filter((one) => one.in === 'query')
  const isDocumented = parameters.some(({ name }) => name === sent)
  const isMember = parameters.some(({ name, schema }) => name === root && isObjectSchema(schema))
  if (isDocumented || !isMember) return false
  const { paging = {}, filters = {} } = hints
  if (PAGES.test(root)) return !Object.values(paging).includes(sent)
  if (NO_FILTER.test(root)) return false
  const own = Object.keys(filters).find((key) => sent === key || sent.startsWith(`${key}[`))
  const filter = own === undefined ? undefined : filters[own]
  if (own === undefined || filter === undefined) return true
  if (typeof filter === 'string' || filter.is !== 'expression' || sent === own) return false
  const [first = '', ...inner] = sent
    .slice(own.length + 1)
    .replace(/\]$/, '')
    .split('][')
  if (JOINS.test(first)) return false
  const asked = inner.reduceRight<unknown>((value, key) => ({ [key]: value }), '')

  return readProperties({ [first]: asked }, records.resource.schema) === undefined
}

/** Objects that select pages. */
const PAGES = /^(page|paging|paginat(e|ion))$/i

/** What joins several comparisons, which are read together. */
const JOINS = /^(\d*|[_$]?(and|or|not|where|filters?))$/

/** A parameter whose value is not understood, or the words of its text that are not. */
function unreadIn(
  name: string,
  filter: FilterHints,
  { admitted: { request, input }, records: { resource } }: RecordRequest,
): readonly string[] {
  const value = queryValue(input.query, name)
  const isIgnored = filter.ignored?.map(String).includes(String(value)) ?? false
  if (value === undefined || value === '' || isIgnored || filter.members !== undefined) return []
  const { schema } = resource
  const { where, tests = [] } = readFilters(
    { [name]: filter },
    { request, query: input.query, schema },
  )
  if (Object.keys(where ?? {}).length === 0 && tests.length === 0) return [name]
  const isSearch = filter.is === 'expression' || filter.is === 'contains'
  if (!isSearch || typeof value !== 'string') return []

  return unknownWords(value, schema).map((word) => `${name}=${word}`)
}
