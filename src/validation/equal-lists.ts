/** Whether two lists have the same members in the same order. */
export function areEqualLists(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index])
}
