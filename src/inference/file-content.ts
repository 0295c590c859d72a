import type { MediaType, Operation } from '../contract/contract.ts'
import { chooseResponse, contentOf } from '../contract/documented-response.ts'
import type { OperationHints } from '../contract/hints.ts'
import { itemsOf, propertiesOf, withBranches } from '../contract/schema.ts'
import { actionHints, type ResourceFinder, shownHints } from './message-hints.ts'
import { recordPathAbove, shapeOf, wordOf } from './path-shape.ts'

// What clients upload is what they download again: `PUT` and `GET /files/{id}/content`, or `POST /files` and `GET /files/{id}/download`.

/** What a file of a record is called at the end of its path. */
const FILE_WORDS = [
  ...['content', 'contents', 'download', 'upload', 'file', 'files', 'raw', 'data', 'media'],
  ...['binary', 'bytes', 'blob', 'body', 'original'],
]

/** Whether a path may be that of the file of a record, by its last word. */
export function isFilePath(path: string): boolean {
  return FILE_WORDS.includes(wordOf(path).toLowerCase())
}

/** Media types of files, and of any content. */
const FILE_TYPE =
  /^(image|audio|video|font)\/|^application\/(octet-stream|pdf|zip|gzip|x-\w+)$|^\*\/\*$/

/** What an operation does to the file of a record, on the path of the file; `undefined` when it does nothing. */
export function fileHints(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const record = isFilePath(path) ? recordPathAbove(path) : undefined
  const { stem } = shapeOf(record ?? '')
  const resource = stem === undefined ? undefined : known.resource(stem)
  if (!resource || stem === undefined || resource.hints.item === undefined) return undefined
  const beside = known.group(path)?.collection ?? []
  const above = known.group(stem)?.collection ?? []
  if (operation.method === 'GET') {
    const isKept = [...beside, ...above].some(uploads) && downloads(operation)
    return isKept ? { ...actionHints('read', resource), content: true } : undefined
  }
  if (!(uploads(operation) && beside.some(downloads))) return undefined

  return {
    ...actionHints('act', resource),
    ...shownHints(operation, 'act', resource, known.describe),
    content: true,
  }
}

/** What says that a creation has the file of the record, which another operation downloads; nothing of another operation. */
export function createdFile(
  operation: Operation,
  { action, resource: name = '' }: OperationHints,
  { group, resource, paths }: ResourceFinder & { readonly paths: ReadonlyMap<string, string> },
): Pick<OperationHints, 'content'> {
  if (action !== 'create' || !uploads(operation)) return {}
  const { item } = resource(paths.get(name) ?? '')?.hints ?? {}
  const isDownloaded = (word: string): boolean =>
    (group(`${item}/${word}`)?.collection ?? []).some(downloads)

  return FILE_WORDS.some(isDownloaded) ? { content: true } : {}
}

/** Whether an operation answers with a file. */
function downloads(operation: Operation): boolean {
  const { documented, status } = chooseResponse(operation)
  const content = documented && status < 300 ? contentOf(documented) : []
  return operation.method === 'GET' && content.some(isFile)
}

/** Whether the request of an operation is a file, or a form that has one. */
function uploads({ method, body }: Operation): boolean {
  if (!body || !/^(POST|PUT|PATCH)$/.test(method)) return false
  const {
    mediaTypes,
    schema,
    content = mediaTypes.map((mediaType) => ({ mediaType, schema })),
  } = body
  return content.some(
    (one) =>
      isFile(one) ||
      (one.mediaType === 'multipart/form-data' &&
        [...propertiesOf(one.schema ?? {}).values()].some((own) => isBinary(itemsOf(own) ?? own))),
  )
}

function isFile({ mediaType, schema = {} }: MediaType): boolean {
  return FILE_TYPE.test(mediaType) ? propertiesOf(schema).size === 0 : isBinary(schema)
}

function isBinary(schema: NonNullable<MediaType['schema']>): boolean {
  return withBranches(schema).some(({ format }) => format === 'binary')
}
