import { type Mistake, Mistakes, refuse } from './mistake.ts'
import { isNode, type Node, nodeOf } from './node.ts'
import type { Source } from './source.ts'

/**
 * Refuses what is no OpenAPI document of version 3.0 or 3.1 before anything else is asked of it.
 */
export function checkVersion(source: Source): void {
  const root = source.value
  if (!isNode(root) || (root.openapi === undefined && root.swagger === undefined)) {
    const advice = 'An OpenAPI document starts with a line such as "openapi: 3.1.1".'
    throw new Mistakes([{ why: 'it is not an OpenAPI document', place: source.place([]), advice }])
  }

  refuse([...versionMistakes(root, source), ...apiVersionMistakes(root, source)])
  if (!isNode(root.paths)) {
    const [why, place] =
      root.paths === undefined
        ? ['it has no paths', source.place([])]
        : ['"paths" is no map', source.place(['paths'])]
    throw new Mistakes([{ why, place, advice: 'Add at least one path below "paths".' }])
  }
}

function versionMistakes({ openapi, swagger }: Node, source: Source): Mistake[] {
  if (openapi === undefined) {
    const why = `Swagger ${String(swagger)} is not supported`
    return [
      {
        why,
        place: source.place(['swagger']),
        advice: 'Convert it to OpenAPI 3.1, at converter.swagger.io for instance.',
      },
    ]
  }
  const place = source.place(['openapi'])
  if (typeof openapi !== 'string') {
    return [
      { why: '"openapi" must be text', place, advice: "Write the version in full, as '3.1.1'." },
    ]
  }
  if (/^3\.(0\.[0-4]|1\.[0-2])$/.test(openapi)) return []
  const isShort = /^3\.[01]$/.test(openapi)
  const advice = isShort ? `Write it in full, as ${openapi}.1.` : 'Use 3.1.1 or 3.0.4.'

  return [{ why: `OpenAPI ${openapi} is not supported`, place, advice }]
}

function apiVersionMistakes(root: Node, source: Source): Mistake[] {
  const { version } = nodeOf(root.info)
  const place = source.place(['info', 'version'])

  return typeof version === 'number'
    ? [
        {
          why: '"version" must be text, not a number',
          place,
          advice: `Put it in quotes, as '1.0.0'.`,
        },
      ]
    : []
}
