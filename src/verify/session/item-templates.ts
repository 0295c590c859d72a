import type { Contract, Operation } from '../../contract/contract.ts'
import { singular } from '../../resources/reference-names.ts'
import { once } from '../../validation/objects.ts'
import {
  boundTo,
  isParameter,
  isSameTemplate,
  plainName,
  recordTemplate,
  segmentsOf,
} from '../record-address.ts'

/**
 * The path template of one record that an operation creates, where it is not below the path of the operation: of the same resource at
 * another path, such as `/trips/{trip}` for `/vehicles/{vehicle}/trips`, or with the word of the collection in the singular, such as
 * `/silence/{id}` for `/silences`. `undefined` for all others.
 */
export function itemTemplateElsewhere(
  contract: Contract,
  creation: Operation,
): readonly string[] | undefined {
  return templatesOf(contract).get(creation)
}

const templatesOf = once(
  (contract: Contract): ReadonlyMap<Operation, readonly string[]> =>
    new Map(
      contract.operations.flatMap((one) => {
        const template = one.method === 'POST' ? templateFor(contract, one) : undefined
        return template ? [[one, template] as const] : []
      }),
    ),
)

function templateFor(contract: Contract, creation: Operation): readonly string[] | undefined {
  const collection = segmentsOf(creation.path)
  const { operations } = contract
  const items = operations
    .filter(({ basePaths, method }) => basePaths === creation.basePaths && method !== 'POST')
    .map(({ path }) => segmentsOf(path))
    .filter((segments) => isParameter(segments.at(-1) ?? ''))
  const isBelow = (segments: readonly string[]): boolean =>
    isSameTemplate(segments.slice(0, -1), collection)
  if (items.some(isBelow)) return undefined
  const resource = boundTo(contract, creation)?.resource
  const isSame = ({ path }: Operation, segments: readonly string[]): boolean =>
    isSameTemplate(segmentsOf(path), segments)

  return items.find((segments) => {
    // The ids above a record are not known at another path.
    const isComplete = segments.slice(0, -1).every((segment) => !isParameter(segment))
    const at = operations.filter((one) => isSame(one, segments))
    const isOfResource = at.some((one) => boundTo(contract, one)?.resource === resource)
    const hasCollection = operations.some((one) => isSame(one, segments.slice(0, -1)))
    return (
      isComplete &&
      ((resource && isOfResource) || (!hasCollection && isSingular(segments, collection)))
    )
  })
}

/** Whether the path of a record is that of a collection with its last word in the singular. */
function isSingular(item: readonly string[], collection: readonly string[]): boolean {
  const [word, plural] = [item.at(-2) ?? '', collection.at(-1) ?? ''].map(plainName)
  const isSamePlace = isSameTemplate(item.slice(0, -2), collection.slice(0, -1))
  return (
    isSamePlace &&
    word !== '' &&
    [`${word}s`, `${word}es`, word?.replace(/y$/, 'ies')].includes(plural ?? '') &&
    word !== plural
  )
}

/** The path template of the records in a collection of another record: `/tags/{tagId}` for `/episodes/{id}/tags/{tagId}`. */
export function memberTemplate(
  { path }: Operation,
  contract: Contract,
): readonly string[] | undefined {
  const segments = segmentsOf(path)
  const [collection = '', parameter = ''] = segments.slice(-2)
  const above = recordTemplate({ path: `/${segments.slice(0, -1).join('/')}` })
  if (!isParameter(parameter) || above.length === 0 || above.length !== segments.length - 2)
    return undefined
  const called = plainName(parameter.slice(1, -1)).replace(/(id|key|slug|name)$/, '')
  const found = topCollections(contract).find(
    (word) => word === collection || plainName(singular(word)) === called,
  )
  return found === undefined ? undefined : [found, parameter]
}

/** The collections that are below no record and get new ones. */
const topCollections = once((contract: Contract): readonly string[] =>
  contract.operations.flatMap(({ method, path }) => {
    const [word = '', ...more] = segmentsOf(path)
    return method === 'POST' && more.length === 0 && !isParameter(word) ? [word] : []
  }),
)
