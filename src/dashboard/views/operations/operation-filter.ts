import type { OperationSummary } from './operation-types.ts'

/** The operations that contain each word of the text, and have the behaviour; an empty one selects all. */
export function selectOperations(
  operations: readonly OperationSummary[],
  { text, behaviour }: { readonly text: string; readonly behaviour: string },
): readonly OperationSummary[] {
  const words = text.toLowerCase().split(/\s+/)
  return operations.filter((one) => {
    const { operation, method, path, resource = '' } = one
    const content = `${method} ${path} ${operation} ${resource}`.toLowerCase()
    const isWanted = behaviour === '' || one.behaviour === behaviour
    return isWanted && words.every((word) => content.includes(word))
  })
}
