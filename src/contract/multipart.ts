import {
  MaxHeaderSizeExceededError,
  MaxPartsExceededError,
  MultipartParseError,
  type MultipartPart,
  parseMultipart,
} from '@remix-run/multipart-parser'
import type { ValueLimit } from '../http/body-limits.ts'
import { bytesToString, parseContentType, parseJsonText } from './body-content.ts'
import type { MediaType } from './contract.ts'
import type { SentFile } from './input.ts'
import { invalidBody, isJson } from './json.ts'
import {
  addAt,
  branchesOf,
  parseBrackets,
  propertyBranches,
  type TextNode,
  textNode,
} from './meanings.ts'

/**
 * The parts of a `multipart/form-data` body by name (RFC 7578). A part with a JSON type is parsed, a file is a string. Names may have
 * brackets, as in forms. Calls `onFile` for each file. Throws a 400 for a body that is not complete.
 */
export function multipartNode(
  bytes: Uint8Array,
  boundary: string | undefined,
  { schema, encoding = {} }: MediaType,
  limit: ValueLimit,
  onFile: (file: SentFile) => void,
): TextNode {
  const branches = branchesOf(schema)
  const form = textNode()
  const parts = partsOf(bytes, boundary)
  for (const file of parts.flatMap(fileIn)) onFile(file)
  for (const part of parts) {
    const { name } = part
    if (name === undefined) throw invalidBody('has a part without a name')
    const isNamed = propertyBranches(branches, name).length > 0
    const [root, steps] = isNamed ? [name, []] : parseBrackets(name)
    const node = form.children.get(root) ?? textNode()
    form.children.set(root, node)
    const type = part.headers['content-type'] ?? encoding[root]?.contentType ?? ''
    addAt(node, steps, partNode(part, parseContentType(type).mediaType, limit))
  }
  withLists(form, branches)
  // Without parts it is an empty object, also where the schema does not say that it is an object.
  return form.children.size > 0 ? form : { ...form, value: {} }
}

/** Makes one JSON part the value itself, or the only item of a list; several are a list. */
function withLists(form: TextNode, branches: ReturnType<typeof branchesOf>): void {
  for (const [name, { children, texts }] of form.children) {
    const [only] = children.values()
    if (texts.length === 0 && children.size === 1 && only && 'value' in only) {
      form.children.set(
        name,
        isList(propertyBranches(branches, name), only.value)
          ? { ...only, value: [only.value] }
          : only,
      )
    }
  }
}

function fileIn({ filename: name, mediaType, bytes }: MultipartPart): readonly SentFile[] {
  return name ? [{ name, ...(mediaType && { mediaType }), bytes }] : []
}

/** Whether a single part is an item of the list that the schema asks for. */
function isList(branches: ReturnType<typeof propertyBranches>, value: unknown): boolean {
  return (
    !Array.isArray(value) && branches.length > 0 && branches.every(({ type }) => type === 'array')
  )
}

function partNode({ bytes }: MultipartPart, mediaType: string, limit: ValueLimit): TextNode {
  const text = bytesToString(bytes)
  const value = isJson(mediaType) ? parseJsonText(text, limit) : undefined

  return value === undefined ? textNode([text]) : { ...textNode(), value }
}

function partsOf(bytes: Uint8Array, boundary: string | undefined): readonly MultipartPart[] {
  if (!boundary) throw invalidBody('must have a boundary: Content-Type has no parameter "boundary"')
  try {
    // The size of the whole body was checked when it was read.
    return [
      ...parseMultipart(bytes, { boundary, maxFileSize: bytes.length, maxTotalSize: bytes.length }),
    ]
  } catch (cause) {
    if (cause instanceof MaxPartsExceededError) throw invalidBody('must have at most 1000 parts')
    if (cause instanceof MaxHeaderSizeExceededError)
      throw invalidBody('has a part with a too long header')
    if (cause instanceof MultipartParseError) {
      throw invalidBody(
        `must be valid multipart/form-data with the boundary of Content-Type: ${cause.message}`,
      )
    }
    throw cause
  }
}
