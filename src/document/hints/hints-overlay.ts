import { stringify } from 'yaml'
import type { Contract } from '../../contract/contract.ts'
import type { OperationHints, ResourceHints } from '../../contract/hints.ts'
import type { GivenHints, GivenResourceHints } from '../../inference/apply-hints.ts'
import type { Document } from '../document.ts'
import { asObject, type JsonObject, type Pointer, parseFragment, refOf } from '../json-value.ts'
import { operationsOf, parsePathKey } from '../operations.ts'
import { readGivenHints, readServiceHints } from './read-hints.ts'

/** The comment that makes editors complete and check the hints, by the extension for YAML. */
const EDITOR_COMMENT =
  '# yaml-language-server: $schema=./node_modules/pet-sandbox/dist/x-sandbox.schema.json\n'

/**
 * What is known about the records of a document, as an OpenAPI Overlay in YAML. Applied to the document, it says with
 * `inference: false` what was inferred without it. What the document says itself is left out.
 */
export function hintsOverlay(contract: Contract, document: Document): string {
  const { hints: given } = readGivenHints(document)
  const { title, version } = contract
  const overlay = {
    overlay: '1.0.0',
    info: { title: `Hints for ${title}`, version },
    actions: [
      ...actionsForDocument(contract, document),
      ...actionsForPaths(contract, document, given),
    ],
  }

  return EDITOR_COMMENT + stringify(overlay, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** The resources whose collections have no path in the document. */
function actionsForDocument(
  { resources = {} }: Contract,
  { root }: Document,
): readonly JsonObject[] {
  const paths = new Set(Object.keys(asObject(root.paths)).map((key) => parsePathKey(key).template))
  const given = asObject(readServiceHints(root)?.hints.resources)
  const others = Object.values(resources).flatMap((resource) => {
    if (!resource || paths.has(resource.path) || resource.path in given) return []
    return [[resource.path, givenFor(resource)] as const]
  })
  if (others.length === 0) return []
  const update = { 'x-sandbox': { resources: Object.fromEntries(others) } }
  return [{ target: '$', update }]
}

/** One action for each path that has hints, in the order of the document. */
function actionsForPaths(
  contract: Contract,
  document: Document,
  given: GivenHints,
): readonly JsonObject[] {
  const items = asObject(document.root.paths)
  const resources = new Map(
    Object.values(contract.resources ?? {}).map((resource) => [resource?.path, resource]),
  )
  const entries = operationsOf(document)

  return Object.entries(items).flatMap(([key, item]) => {
    const update: Record<string, unknown> = {}
    const path = parsePathKey(key).template
    const resource = resources.get(path)
    // The first of several keys with one path has the resource.
    resources.delete(path)
    if (resource) add(update, [], givenFor(resource), given.paths.get(path))
    for (const [index, { template, pointer }] of entries.entries()) {
      const { id = '', hints } = contract.operations[index] ?? {}
      if (template !== key || !hints) continue
      add(update, pointer.slice(2), inOrder(hints, given), given.operations.get(id))
    }
    const target = targetOf(key, item)
    return target === undefined || Object.keys(update).length === 0 ? [] : [{ target, update }]
  })
}

/** What ids look like, and which texts stand for them. */
function idTexts({
  idExample,
  callerId,
  idWords,
}: ResourceHints): Pick<GivenResourceHints, 'idExample' | 'callerId' | 'idWords'> {
  return {
    ...(idExample !== undefined && { idExample }),
    ...(callerId !== undefined && { callerId }),
    ...(idWords && { idWords }),
  }
}

/** A resource in the vocabulary of a path item. */
function givenFor(resource: ResourceHints): GivenResourceHints {
  const { name, item, id, keys, hasHiddenIds, ids, renames, isSingle, view } = resource
  const { values, shownOnce, unique, aliases, references, idReferences, within } = resource
  return {
    resource: name,
    ...(item !== undefined && { item }),
    id,
    ...(keys && { keys }),
    ...(hasHiddenIds && { hiddenIds: true }),
    ...(ids && { ids }),
    ...idTexts(resource),
    ...(renames && { renames }),
    ...(isSingle && { single: true }),
    ...(view !== undefined && { view }),
    ...(values && { values }),
    ...(shownOnce && { shownOnce }),
    ...(unique && { unique }),
    ...(aliases && { aliases }),
    ...(references && { references }),
    ...(idReferences && { idReferences }),
    ...(within && { within }),
    ...(resource.subscription && { subscription: resource.subscription }),
  }
}

function inOrder(
  { action, reason, resource, failures, ...rest }: OperationHints,
  { failures: ofAll }: GivenHints,
): JsonObject {
  return {
    ...(resource !== undefined && { resource }),
    action,
    ...(reason && { reason }),
    ...rest,
    // The document says once what holds for all operations.
    ...(failures && failures !== ofAll && { failures }),
  }
}

/** Adds hints at a place of the update, without the fields that the document has there. */
function add(
  update: Record<string, unknown>,
  keys: Pointer,
  hints: object,
  given: object | undefined,
): void {
  const fields = Object.entries(hints).filter(([name]) => !Object.hasOwn(given ?? {}, name))
  if (fields.length === 0) return
  let place = update
  for (const key of keys) {
    const next: Record<string, unknown> = { ...asObject(place[key]) }
    place[key] = next
    place = next
  }
  place['x-sandbox'] = Object.fromEntries(fields)
}

/** The JSONPath of a path item: that of what it refers to, because a `$ref` must not have operations beside it. */
export function targetOf(key: string, item: unknown): string | undefined {
  const ref = refOf(item)
  if (ref === undefined) return jsonPath(['paths', key])
  return ref.startsWith('#/') ? jsonPath(parseFragment(ref.slice(1)) ?? []) : undefined
}

function jsonPath(pointer: Pointer): string {
  const steps = pointer.map((step) =>
    /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `['${step.replaceAll(/['\\]/g, '\\$&')}']`,
  )
  return `$${steps.join('')}`
}
