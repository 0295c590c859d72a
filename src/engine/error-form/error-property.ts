import type { ErrorItem } from './error-facts.ts'

/** A property of an error body. */
export interface ErrorProperty {
  readonly name: string
  /** Its value so far. */
  readonly value: unknown
  /** The object that has it. */
  readonly parent: Readonly<Record<string, unknown>>
  /** The name of the property that has that object; empty at the top. */
  readonly parentName: string
  /** The values of its enumeration, if it has one. */
  readonly members: readonly unknown[]
  readonly format: string | undefined
  readonly maxLength: number | undefined
  /** Whether the object is an entry of a list of errors. */
  readonly isItem: boolean
  /** What is wrong with the input, where one thing is. */
  readonly item: ErrorItem | undefined
}

/** The value of a property that does not apply and should not be sent. */
export const OMITTED: unique symbol = Symbol('omitted')
