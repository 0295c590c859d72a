import type { Pointer } from './json-value.ts'

/** Which part of an entry of an object a position is about. */
export type Part = 'key' | 'value'

/** A value of a text whose position is wanted. */
export interface Wanted {
  readonly pointer: Pointer
  readonly part?: Part | undefined
}

/** A parsed YAML or JSON file that can find the location of each of its values. */
export interface Source {
  /** The name of the file as the developer typed it. */
  readonly name: string
  readonly url: URL
  readonly value: unknown
  /** The text of the file. It is kept in little memory, because it is rarely needed again. */
  readText(): string
  /**
   * `file:line:column` of each value or of its key; of the nearest ancestor when the value does not exist. Each call reads the
   * whole text again, because positions are rarely needed.
   */
  locateAll(wanted: readonly Wanted[]): readonly string[]
  /** The location of one value. */
  locate(pointer: Pointer, part?: Part): string
}
