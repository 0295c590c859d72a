import type { Diagnostic, OperationDiagnostics } from './diagnostic.ts'
import type { DiagnosticsCollector } from './diagnostics.ts'
import type { Document } from './document.ts'
import { type Mistake, withoutEqual } from './mistake.ts'
import { operationsAt } from './operations-at.ts'
import type { SchemaMistake } from './schemas/schema-mistake.ts'

/**
 * Creates a function that groups the mistakes of a document by operation. The document is checked once, when the function is called
 * first. Mistakes that are found later, as when a response cannot be generated, are in the later results.
 */
export function createOperationDiagnostics(
  document: Document,
  known: DiagnosticsCollector,
  findMistakes: () => Promise<readonly (Mistake | SchemaMistake)[]>,
): () => Promise<OperationDiagnostics> {
  let checking: Promise<readonly (Mistake | SchemaMistake)[]> | undefined
  let grouped: { readonly count: number; readonly result: OperationDiagnostics } | undefined

  return async () => {
    checking ??= findMistakes()
    const found = await checking
    // Locating mistakes reads the files again.
    if (grouped?.count !== known.count) {
      grouped = { count: known.count, result: groupByOperation(document, known, found) }
    }
    return grouped.result
  }
}

function groupByOperation(
  document: Document,
  known: DiagnosticsCollector,
  found: readonly (Mistake | SchemaMistake)[],
): OperationDiagnostics {
  const operationsOf = operationsAt(document)
  const groups = new Map<string, Diagnostic[]>()
  for (const { diagnostic, location } of known.locateWith(found)) {
    if (typeof location === 'string') continue
    for (const id of operationsOf(location)) {
      const group = groups.get(id) ?? []
      group.push(diagnostic)
      groups.set(id, group)
    }
  }

  return new Map([...groups].map(([id, list]) => [id, withoutEqual(list)]))
}
