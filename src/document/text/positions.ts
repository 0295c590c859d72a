import { setOwn } from '../../validation/objects.ts'
import type { Pointer } from '../json-pointer.ts'
import type { Wanted } from '../source.ts'
import { readText, type TextListener } from './read-text.ts'

/** A value on the way to one that is wanted, with the offsets where it and its key start. */
interface Node {
  readonly children: Record<string, Node>
  key?: number
  value?: number
}

/**
 * The offsets in a JSON or YAML text at which these values start; of the nearest ancestor when a value does not exist. Reads
 * the text once, and only here: parsing with all positions takes ten times the memory of the values.
 */
export function findOffsets(text: string, wanted: readonly Wanted[]): readonly number[] {
  const root: Node = { children: {} }
  for (const { pointer } of wanted) addPath(root, pointer)
  readText(text, new Walk(root))

  return wanted.map((one) => offsetOf(root, one))
}

function addPath(root: Node, pointer: Pointer): void {
  let node = root
  for (const key of pointer) {
    const child = Object.hasOwn(node.children, key) ? node.children[key] : undefined
    const next: Node = child ?? { children: {} }
    setOwn(node.children, key, next)
    node = next
  }
}

function offsetOf(root: Node, { pointer, part = 'value' }: Wanted): number {
  let node = root
  let offset = root.value ?? 0
  for (const [index, key] of pointer.entries()) {
    const child = Object.hasOwn(node.children, key) ? node.children[key] : undefined
    if (child?.value === undefined && child?.key === undefined) break
    const wantsKey = part === 'key' && index === pointer.length - 1
    offset = (wantsKey ? child.key : child.value) ?? child.key ?? child.value ?? offset
    node = child
  }
  return offset
}

/** The open objects and arrays while a text is read from start to end. */
class Walk implements TextListener {
  readonly #root: Node
  readonly #open: { readonly node: Node | undefined; readonly isArray: boolean; next: string }[] =
    []

  constructor(root: Node) {
    this.#root = root
  }

  key(name: string, offset: number): void {
    const top = this.#open.at(-1)
    if (!top) return
    top.next = name
    const node = childOf(top.node, name)
    if (node) node.key = offset
  }

  value(offset: number): void {
    this.#enter(offset)
  }

  open(offset: number, isArray: boolean): void {
    this.#open.push({ node: this.#enter(offset), isArray, next: isArray ? '0' : '' })
  }

  close(): void {
    this.#open.pop()
  }

  /** Returns the node of the value, if it is on the way to a wanted one. */
  #enter(offset: number): Node | undefined {
    const top = this.#open.at(-1)
    const node = top ? childOf(top.node, top.next) : this.#root
    if (node && node.value === undefined) node.value = offset
    if (top?.isArray) top.next = String(Number(top.next) + 1)

    return node
  }
}

function childOf(node: Node | undefined, key: string): Node | undefined {
  return node && Object.hasOwn(node.children, key) ? node.children[key] : undefined
}
