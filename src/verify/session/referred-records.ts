import type { Operation } from '../../contract/contract.ts'
import type { ProbeRequest } from '../messages.ts'
import {
  concretePath,
  isAt,
  isAtOrBelow,
  type RecordPath,
  recordTemplate,
} from '../record-address.ts'

/** The records to which one refers. */
type LinkedFrom = (template: readonly string[], path: RecordPath) => readonly RecordPath[]

/** A request, and to which records it may refer. */
interface ReferringRequest
  extends Pick<ProbeRequest, 'target' | 'isRepeated' | 'keepsReferences' | 'isInvalid'> {
  readonly operation: Operation
  /** What is below these records is preferred, and they may be named themselves. */
  readonly near: readonly RecordPath[]
  /** The records to which it must not refer. */
  readonly taken: ReadonlySet<string> | undefined
}

/** The records to which one request refers. */
export class Referred {
  readonly #linkedFrom: LinkedFrom
  readonly #paths: RecordPath[]
  /** The records that its body has named so far, with the templates of their paths. */
  readonly #sent: (readonly [template: readonly string[], path: RecordPath])[] = []
  readonly #named: Set<string>
  /** Whether it has the references that a check wants. */
  readonly isMeant: boolean

  /** What is above the record of the request is one, too. */
  constructor(request: ReferringRequest, linkedFrom: LinkedFrom) {
    const { operation, target, near, taken } = request
    this.isMeant = Boolean(request.isRepeated || request.keepsReferences || request.isInvalid)
    this.#linkedFrom = linkedFrom
    this.#named = new Set(taken)
    const path = concretePath(operation, target) ?? []
    const length = recordTemplate(operation).length
    this.#paths = [...near, ...(length === 0 ? [] : [path.slice(0, length + 1)])]
  }

  /** The records that the request names, or is about. */
  get paths(): readonly RecordPath[] {
    return this.#paths
  }

  add(template: readonly string[], path: RecordPath): void {
    this.#paths.push(path)
    this.#sent.push([template, path])
    this.#named.add(path.join('/'))
  }

  /** From now on, no record fits in which those that were named are: one above them, or one to which they refer. */
  leave(): void {
    const above = this.#paths.flatMap((path) => path.map((_, at) => path.slice(0, at + 1)))
    const linked = this.#sent.flatMap((one) => this.#linkedFrom(...one))
    for (const path of [...above, ...linked]) this.#named.add(path.join('/'))
  }

  /** The record above those of a template: the event of the request for its ticket types. */
  above(template: readonly string[]): RecordPath | undefined {
    const above = recordTemplate({ path: `/${template.slice(0, -2).join('/')}` })
    if (above.length === 0) return undefined
    const starts = this.#paths.map((path) => path.slice(0, above.length + 1))
    return starts.findLast((path) => isAt(path, [path[0] ?? '', ...above]))
  }

  /** Whether a record is below the one above it to which the request refers, and no other property refers to it. */
  fits(template: readonly string[], path: RecordPath): boolean {
    const above = this.above(template)
    return !this.#named.has(path.join('/')) && (!above || isAtOrBelow(path, above))
  }

  /** Whether a record refers to the same ones as the request, where both refer to one collection: the van of a tour is in its depot. */
  belongs(template: readonly string[], path: RecordPath): boolean {
    const linked = this.#linkedFrom(template, path)
    return this.#paths.every((one) => {
      const alike = linked.filter((own) => isInSameCollection(own, one))
      return alike.length === 0 || alike.some((own) => own.join('/') === one.join('/'))
    })
  }
}

function isInSameCollection(one: RecordPath, other: RecordPath): boolean {
  return one.slice(0, -1).join('/') === other.slice(0, -1).join('/')
}
