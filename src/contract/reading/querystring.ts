import { ValueLimit } from '../../http/body-limits.ts'
import type { Parameter } from '../contract.ts'
import { isJson } from '../is-json.ts'
import { decodeComponent } from '../parse-text.ts'
import { formNode } from './form-node.ts'
import { parseJsonText } from './json-text.ts'
import type { FormSource } from './query-nodes.ts'
import { type TextNode, textNode } from './text-node.ts'

/** The possible meanings of the whole query by its media type (`in: querystring`, OpenAPI 3.2). */
export function querystringNodes(
  { schema, mediaType = 'application/x-www-form-urlencoded' }: Parameter,
  query: string,
  source: FormSource,
): readonly TextNode[] {
  if (query === '') return []
  for (const name of source.pairs.keys()) source.used.add(name)
  if (mediaType === 'application/x-www-form-urlencoded')
    return [formNode(schema, source, ValueLimit.ofBody(0))]
  const text = decodeComponent(query)
  const value = isJson(mediaType) ? parseJsonText(text, ValueLimit.ofBody(0)) : undefined

  return [value === undefined ? textNode([text]) : { ...textNode([text]), value }]
}
