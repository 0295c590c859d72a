import type { Contract } from '../contract/contract.ts'
import { resourcesIn } from '../resources/bind.ts'
import { findCollection } from '../resources/collection-name.ts'
import type { ControlTarget } from './control-target.ts'

const RECORDS = '/records/'
const COLLECTIONS = '/collections/'

/** A target whose path has the name of a collection in one segment. */
export function withCollectionPath(target: ControlTarget, contract: Contract): ControlTarget {
  const path = joinCollectionPath(target.path, contract)
  return path === target.path ? target : { ...target, path }
}

/**
 * A control path in which the name of a collection is one segment. The path of a collection below records may be written as it is:
 * `/records/orgs/acme/repos/1` is `/records/orgs%2Facme%2Frepos/1`.
 */
function joinCollectionPath(path: string, contract: Contract): string {
  if (path.startsWith(COLLECTIONS)) {
    const name = path.slice(COLLECTIONS.length)
    return name === '' ? path : COLLECTIONS + name.replaceAll('/', '%2F')
  }
  const segments = path.startsWith(RECORDS) ? path.slice(RECORDS.length).split('/') : []
  if (segments.length < 2) return path
  const resources = resourcesIn(contract)
  const isCollection = (parts: readonly string[]): boolean =>
    findCollection(resources, parts.join('/')) !== undefined
  const owners = segments.slice(0, -1)
  if (segments.length === 2 && !isCollection(segments)) return path
  // The error about an unknown collection is better with all of its path.
  const isAsLong = resources.some(({ path: own }) => own.split('/').length === segments.length + 1)
  const isWhole = isCollection(segments) || (isAsLong && !isCollection(owners))
  const rest = isWhole ? [] : segments.slice(-1)
  const collection = isWhole ? segments : owners

  return RECORDS + [encodeURIComponent(collection.join('/')), ...rest].join('/')
}
