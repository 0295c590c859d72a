import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** An object or array of the document. */
export type Node = Readonly<Record<string, unknown>>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** An OpenAPI document in one file. Its parts are addressed by JSON Pointers (RFC 6901), such as `#/paths/~1pets/get`. */
export class OpenApiDocument {
  readonly file: string
  readonly root: Node

  /** `file` is a path from the root of the repository, such as `openapi.yaml`. */
  constructor(file: string) {
    const root: unknown = parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
    if (!isNode(root)) throw new TypeError(`${file} must contain a mapping`)
    this.file = file
    this.root = root
  }

  /** The ids of all operations. */
  get operations(): readonly string[] {
    return Object.entries(this.childrenOf('#/paths')).flatMap(([path, item]) =>
      Object.keys(isNode(item) ? item : {})
        .filter((key) => METHODS.includes(key))
        .map((key) => String(this.nodeAt(`#/paths/${escapeToken(path)}/${key}`).operationId)),
    )
  }

  /** The pointer to the operation of a request. HEAD is documented as GET. */
  operationAt(method: string, path: string): string | undefined {
    const template = Object.keys(this.childrenOf('#/paths'))
      .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
      .find((candidate) => matchesTemplate(candidate, path))
    const name = method === 'HEAD' ? 'get' : method.toLowerCase()
    if (template === undefined || !METHODS.includes(name)) return undefined
    const operation = `#/paths/${escapeToken(template)}/${name}`

    return this.#find(operation) === undefined ? undefined : operation
  }

  /** The pointer to the response with this status, its range (`4XX`), or `default`. `default` documents no success. */
  responseAt(operation: string, status: number): string | undefined {
    const responses = this.childrenOf(`${operation}/responses`)
    const names = [String(status), `${Math.floor(status / 100)}XX`]
    if (status >= 400) names.push('default')
    const name = names.find((one) => Object.hasOwn(responses, one))

    return name && this.follow(`${operation}/responses/${name}`)
  }

  /** The pointer itself, or the pointer that a `$ref` there leads to. */
  follow(pointer: string): string {
    const { $ref } = this.nodeAt(pointer)
    return typeof $ref === 'string' ? this.follow($ref) : pointer
  }

  /** The object at a pointer. Throws a `TypeError` when there is none. */
  nodeAt(pointer: string): Node {
    const node = this.#find(pointer)
    if (isNode(node)) return node
    throw new TypeError(`${this.file} has no ${pointer}`)
  }

  /** The members of the object at a pointer; none when there is no object. */
  childrenOf(pointer: string): Node {
    const node = this.#find(pointer)
    return isNode(node) ? node : {}
  }

  #find(pointer: string): unknown {
    const tokens = pointer.split('/').slice(1)
    return tokens.reduce<unknown>((node, token) => {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
      return isNode(node) && Object.hasOwn(node, name) ? node[name] : undefined
    }, this.root)
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

/** Escapes a name for use in a JSON Pointer. */
export function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function matchesTemplate(template: string, path: string): boolean {
  const segments = path.split('/')
  const expected = template.split('/')
  const isMatch = (segment: string, index: number): boolean =>
    segment.startsWith('{') ? Boolean(segments[index]) : segment === segments[index]

  return segments.length === expected.length && expected.every(isMatch)
}
