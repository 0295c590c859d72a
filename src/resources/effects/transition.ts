type Values = Readonly<Record<string, unknown>>

/** Why a record does not have the values that an action needs. */
export interface RefusedTransition {
  readonly property: string
  readonly value: unknown
  /** The values that the action needs: one of them. */
  readonly allowed: readonly unknown[]
}

/** The first property of a record that has not one of the values in `from`; `undefined` when the action is allowed. */
export function refusedTransition(
  record: Values,
  from: Values = {},
): RefusedTransition | undefined {
  for (const [property, needed] of Object.entries(from)) {
    const value = record[property]
    const allowed: readonly unknown[] = Array.isArray(needed) ? needed : [needed]
    if (!allowed.some((one) => isSame(one, value))) return { property, value, allowed }
  }
  return undefined
}

/** The sentence of the 409, such as `status is "cancelled", and must be "pending" or "confirmed".` */
export function describeTransition({ property, value, allowed }: RefusedTransition): string {
  const needed = allowed.map((one) => JSON.stringify(one)).join(' or ')
  return `${property} is ${JSON.stringify(value) ?? 'absent'}, and must be ${needed}.`
}

/** Equal as JSON. What a record does not have is `null`. */
function isSame(one: unknown, other: unknown = null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
