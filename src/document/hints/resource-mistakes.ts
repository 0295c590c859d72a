import type { Contract, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import {
  type ContractResource,
  callersIn,
  countedWord,
  ITSELF,
  wordBelow,
} from '../../contract/hints.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { shapeOf, withoutNames } from '../../inference/path-shape.ts'
import { once } from '../../validation/objects.ts'
import { suggest } from '../../validation/usage-error.ts'
import { spell } from '../../validation/value-check.ts'
import { atPart, type Document, resolveRef } from '../document.ts'
import { asObject, type Pointer } from '../json-value.ts'
import type { Mistake, PartMistake } from '../mistake.ts'
import { parsePathKey } from '../operations.ts'

/** A name in the hints of a path, where it is, and what it should be the name of. */
interface Named {
  readonly name: string
  readonly at: Pointer
  readonly part: NonNullable<PartMistake['part']>
  readonly kind: 'property' | 'resource' | 'collection'
}

/** What is assumed where nothing has a name. */
const ASSUMED: Readonly<Record<Named['kind'], string>> = {
  property: 'no record has it',
  resource: 'it refers to nothing',
  collection: 'it stands for no records',
}

/**
 * The names in the hints of paths that no schema of their records has, and those of resources that the document does not have, also in the
 * hints of operations. What operations set in records may be hidden: of that, only what resembles a property is a mistake.
 */
export function resourceMistakes(document: Document, contract: Contract): readonly Mistake[] {
  const items = asObject(document.root.paths)
  return Object.keys(items).flatMap((key) => {
    const item = resolveRef(document, items[key])
    const given = asObject(item['x-sandbox'])
    const pathHints = [...idIn(given), ...namesIn(given)]
    const named = [
      ...pathHints.map((one) => ({ ...one, above: [] })),
      ...Object.keys(item).flatMap((method) => streamedIn(item[method], method)),
    ]
    const misspelt = Object.keys(item).flatMap((method) => {
      const place = { method, key }
      const found = [
        ...misspeltIn(item[method], place, contract),
        ...unfilteredIn(item[method], place, contract),
      ]
      return found.flatMap((one) => atPart(document, one))
    })
    // Finding the resources takes long in a large document.
    if (named.length === 0) return misspelt
    const resource =
      pathHints.length === 0 ? undefined : resourceAt(parsePathKey(key).template, contract)
    const properties = resource && propertiesIn(resource, contract)
    const collections = resource && wordsBelow(resource, contract)
    const known = {
      property: properties,
      resource: resourceNames(contract),
      collection: collections,
    }
    const unknown = named.flatMap(({ name, at, part, kind, above }) => {
      const names = known[kind]
      if (!names || names.includes(name) || mayBeUnshown({ name, at, kind }, names, contract))
        return []
      const mistake = {
        reason: `x-sandbox: unknown ${kind} "${name}" in ${at[0]}`,
        pointer: ['paths', key, ...above, 'x-sandbox', ...at],
        assumed:
          at[0] === 'aliases' && kind === 'collection'
            ? 'the path shows all records'
            : ASSUMED[kind],
        ...suggest(name, names),
      }
      return atPart(document, { ...mistake, part })
    })
    return [...unknown, ...misspelt]
  })
}

/** Whether no response has to show a property: an id that paths call so, and a value that resembles none which records have. */
function mayBeUnshown(
  { name, at: [hint], kind }: Pick<Named, 'name' | 'at' | 'kind'>,
  names: readonly string[],
  { operations }: Contract,
): boolean {
  if (hint === 'id') return operations.some(({ path }) => path.includes(`{${name}}`))
  return hint === 'values' && kind === 'property' && !suggest(name, names).suggestion
}

const resourceNames = once(({ resourcePaths = {} }: Contract) => Object.keys(resourcePaths))

/** The properties that an operation sets or asks for, and that resemble one which its records have. */
function misspeltIn(
  operation: unknown,
  { method, key }: { readonly method: string; readonly key: string },
  contract: Contract,
): readonly PartMistake[] {
  const { set, from, after } = asObject(asObject(operation)['x-sandbox'])
  const later = (Array.isArray(after) ? after : []).flatMap((one, at) => [
    { at: ['after', String(at), 'set'], names: asObject(asObject(one).set) },
    { at: ['after', String(at), 'from'], names: asObject(asObject(one).from) },
  ])
  const all = [
    { at: ['set'], names: asObject(set) },
    { at: ['from'], names: asObject(from) },
    ...later,
  ].flatMap(({ at, names }) => Object.keys(names).map((name) => ({ at, name })))
  if (all.length === 0) return []
  const known = propertiesOfOperation(method, key, contract)
  if (!known) return []
  return all.flatMap(({ at, name }) => {
    const found = known.includes(name) ? {} : suggest(name, known)
    if (found.suggestion === undefined) return []
    return {
      reason: `x-sandbox: unknown property "${name}" in ${spell(at)}`,
      pointer: ['paths', key, method, 'x-sandbox', ...at, name],
      assumed: 'records have it beside the properties of the document',
      part: 'key',
      ...found,
    }
  })
}

/** The properties by which query parameters filter a list, and that no record has. */
function unfilteredIn(
  operation: unknown,
  { method, key }: { readonly method: string; readonly key: string },
  contract: Contract,
): readonly PartMistake[] {
  const filters = asObject(asObject(asObject(operation)['x-sandbox']).filters)
  const named = Object.entries(filters).flatMap(([parameter, filter]) => {
    const { property = filter } = asObject(filter)
    const names = [property].flat().filter((name) => typeof name === 'string')
    return names.flatMap((name) => {
      const [first = ''] = name.startsWith('/') ? parsePointer(name) : [name]
      return first === '' ? [] : [{ parameter, name: first }]
    })
  })
  const known = named.length > 0 ? propertiesOfOperation(method, key, contract) : undefined
  if (!known) return []
  return named.flatMap(({ parameter, name }) =>
    known.includes(name)
      ? []
      : {
          reason: `x-sandbox: unknown property "${name}" in filters`,
          pointer: ['paths', key, method, 'x-sandbox', 'filters', parameter],
          assumed: 'no record has it, so a value selects none',
          part: 'value' as const,
          ...suggest(name, known),
        },
  )
}

/** The properties of the records of an operation, and of what is in them, which may be the records; `undefined` where they may have any. */
function propertiesOfOperation(
  method: string,
  key: string,
  contract: Contract,
): readonly string[] | undefined {
  const { template } = parsePathKey(key)
  const { hints } =
    contract.operations.find(
      (one) => one.path === template && one.method === method.toUpperCase(),
    ) ?? {}
  const resource = contract.resources?.[hints?.resource ?? '']

  if (!resource) return undefined
  const inner = recordSchemas(resource, contract).flatMap((one) =>
    [...propertiesOf(one).values()].flatMap((own) => [...propertiesOf(itemsOf(own) ?? own).keys()]),
  )
  const own = propertiesIn(resource, contract)

  return own && [...own, ...inner]
}

/** The resources whose changes an operation streams, by its hints. */
function streamedIn(
  operation: unknown,
  method: string,
): (Named & { readonly above: readonly string[] })[] {
  const { streams } = asObject(asObject(operation)['x-sandbox'])
  const isList = Array.isArray(streams)
  return [streams].flat().flatMap((name, index) => {
    const at = ['streams', ...(isList ? [String(index)] : [])]
    return typeof name === 'string'
      ? [{ name, at, part: 'value', kind: 'resource', above: [method] }]
      : []
  })
}

function property(name: string, at: Pointer, part: Named['part']): Named[] {
  return name === ITSELF || name.startsWith('/') || name.startsWith('{')
    ? []
    : [{ name, at, part, kind: 'property' }]
}

/** The id, unless the hints say that no response shows it, or nobody has said what it is. */
function idIn({ id, hiddenIds, single }: Readonly<Record<string, unknown>>): Named[] {
  const isShown = typeof id === 'string' && hiddenIds !== true && single !== true
  return isShown && id !== 'id' && !id.startsWith('$') ? property(id, ['id'], 'value') : []
}

function namesIn({
  keys,
  references,
  idReferences,
  within,
  unique,
  aliases,
  values,
  subscription,
}: Readonly<Record<string, unknown>>): Named[] {
  return [
    ...(Array.isArray(keys) ? keys : []).flatMap((name, at) =>
      property(String(name), ['keys', String(at)], 'value'),
    ),
    ...Object.keys(asObject(unique)).flatMap((name) => property(name, ['unique', name], 'key')),
    ...Object.entries(asObject(references)).flatMap(([name, to]): Named[] => {
      const at = ['references', name]
      const of = typeof to === 'string' ? to : asObject(to).of
      const target = typeof to === 'string' ? at : [...at, 'of']
      return [
        ...property(name, at, 'key'),
        ...(typeof of === 'string'
          ? [{ name: of, at: target, part: 'value' as const, kind: 'resource' as const }]
          : []),
      ]
    }),
    ...Object.entries({ within, idReferences }).flatMap(([hint, given]) =>
      Object.entries(asObject(given)).flatMap(([name, of]): Named[] =>
        typeof of === 'string'
          ? [{ name: of, at: [hint, name], part: 'value', kind: 'resource' }]
          : [],
      ),
    ),
    ...Object.keys(asObject(idReferences)).flatMap((name) =>
      property(name, ['idReferences', name], 'key'),
    ),
    ...Object.entries(asObject(aliases)).flatMap(([path, by]) =>
      Object.entries(asObject(by)).flatMap(([parameter, name]) =>
        typeof name === 'string'
          ? [
              ...property(name, ['aliases', path, parameter], 'value'),
              ...namedByText(name, ['aliases', path, parameter]),
            ]
          : [],
      ),
    ),
    ...Object.entries(asObject(values)).flatMap(([name, text]) => [
      ...(name === '*' || isOfRecords(text) ? [] : property(name, ['values', name], 'key')),
      ...namedByText(text, ['values', name]),
    ]),
    ...Object.entries(asObject(subscription)).flatMap(([part, place]) => {
      const [name] = typeof place === 'string' ? parsePointer(place) : []
      return name === undefined ? [] : property(name, ['subscription', part], 'value')
    }),
  ]
}

/** Whether a value stands for other records, as a list does, or for their number: records show them beside what their schema has. */
function isOfRecords(text: unknown): boolean {
  return Array.isArray(text) || (wordBelow(text) ?? countedWord(text)) !== undefined
}

/** The collection in a text such as `{records tracks}`, `{count tracks}` and `{caller users}`. */
function namedByText(text: unknown, at: Pointer): Named[] {
  const [below, callers] = [wordBelow(text) ?? countedWord(text), callersIn(text)]
  return [
    ...(below === undefined
      ? []
      : [{ name: below, at, part: 'value', kind: 'collection' } as const]),
    ...(callers === undefined
      ? []
      : [{ name: callers, at, part: 'value', kind: 'resource' } as const]),
  ]
}

/** The words that follow the path of a record in the paths of a document, such as `tracks` of `/albums/{id}/tracks`. */
function wordsBelow(
  { path, item }: Pick<ContractResource, 'path' | 'item'>,
  { operations }: Contract,
): readonly string[] {
  const record = typeof item === 'string' ? shapeOf(item).path : `${path}/{id}`
  const start = `${withoutNames(record)}/`
  const words = operations.flatMap((operation) => {
    const own = withoutNames(shapeOf(operation.path).path)
    return own.startsWith(start) ? (own.slice(start.length).split('/')[0] ?? []) : []
  })
  return [...new Set(words)].filter((word) => !word.includes('{'))
}

/** The resource whose collection has this path. */
export function resourceAt(
  path: string,
  { resources, resourcePaths }: Contract,
): ContractResource | undefined {
  const [name] = Object.entries(resourcePaths ?? {}).find(([, own]) => own === path) ?? []
  return name === undefined ? undefined : resources?.[name]
}

/** The properties that requests or responses have of the records; `undefined` where records may have any. */
function propertiesIn(
  resource: ContractResource,
  contract: Contract,
): readonly string[] | undefined {
  const schemas = [...recordSchemas(resource, contract), ...(resource.sent ?? [])]
  const names = schemas.flatMap((one) => [...propertiesOf(one).keys()])

  return names.length === 0 ? undefined : [...new Set(names)]
}

/** The schemas that responses have for the records of a resource. */
export function recordSchemas(
  { name, schema }: ContractResource,
  { operations }: Contract,
): readonly Schema[] {
  const shown = operations.flatMap((operation) => {
    const { resource, record = '' } = operation.hints ?? {}
    const body = resource === name ? chooseResponse(operation).documented?.schema : undefined
    const own = body && schemaAt(body, record)
    return own ? [itemsOf(own) ?? own] : []
  })
  return [schema, ...shown]
}
