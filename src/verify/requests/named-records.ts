import { isObject } from '../../validation/objects.ts'
import { isAt, isPathId, type RecordPath, segmentsOf } from './concrete-path.ts'
import { idForParameter } from './shown-ids.ts'

/** Records by the names or paths of their collections, such as `orgs` or `orgs/acme/repos`. */
export type NamedRecords = Readonly<Record<string, readonly unknown[]>>

/** The records below which the user allows to create others. */
export class NamedParents {
  readonly #named: readonly (readonly [
    collection: readonly string[],
    records: readonly unknown[],
  ])[]

  constructor(named: NamedRecords) {
    this.#named = Object.entries(named).map(([name, records]) => [
      segmentsOf(encodeURI(name)),
      records,
    ])
  }

  /** Whether the user named the record at a path, whose template ends with a parameter. */
  has(path: RecordPath, parameter: string): boolean {
    return this.#pathsIn(path[0] ?? '', parameter).some((named) => isAt(named, path))
  }

  /** A record that the user named, at a path template. */
  find(template: readonly string[], basePath: string): RecordPath | undefined {
    const paths = this.#pathsIn(basePath, template.at(-1) ?? '')
    return paths.find((path) => isAt(path, [basePath, ...template]))
  }

  #pathsIn(basePath: string, parameter: string): readonly RecordPath[] {
    return this.#named.flatMap(([collection, records]) =>
      records.flatMap((record) => {
        const id = isObject(record) ? idForParameter(record, parameter) : record
        const isId = typeof id === 'number' || typeof id === 'string'
        if (!isId || !isPathId(String(id))) return []
        return [[basePath, ...collection.filter((one) => one !== ''), encodeURIComponent(id)]]
      }),
    )
  }
}
