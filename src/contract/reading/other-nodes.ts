import type { Parameter } from '../contract.ts'
import { decodeComponent } from '../parse-text.ts'
import { branchesOf, typesOf } from './branches.ts'
import { type Delimited, listNodes, objectNodes } from './delimited.ts'
import { type TextNode, textNode } from './text-node.ts'

/** Values may have dots, too, which no client encodes (RFC 3986, section 2.3). */
const DOT_BEFORE_NAME = /\.(?=[^.=]*=)/

type Styled = Pick<Parameter, 'name' | 'schema' | 'style' | 'explode'>

/** The possible meanings of a path parameter in the style `simple`, `label` or `matrix`, as documented first. */
export function pathNodes(parameter: Styled, raw: string): readonly TextNode[] {
  const { style = 'simple', explode = false, name } = parameter
  if (style === 'label' && raw.startsWith('.')) {
    const text = raw.slice(1)
    const comma = valueNodes(parameter, text, { delimiter: /,/, decode: decodeComponent })
    const dot = {
      delimiter: /\./,
      beforeName: DOT_BEFORE_NAME,
      decode: decodeComponent,
      hasNames: explode,
    }
    // Versions of OpenAPI before 3.0.4 have `.` between the items in both cases.
    return explode ? valueNodes(parameter, text, dot) : [...comma, ...dotted(parameter, text, dot)]
  }
  if (style === 'matrix' && raw.startsWith(';')) return matrixNodes(parameter, raw.slice(1))
  const simple = { delimiter: /,/, decode: decodeComponent, hasNames: explode }

  return valueNodes({ ...parameter, name }, raw, simple)
}

function dotted(parameter: Styled, text: string, dot: Delimited): readonly TextNode[] {
  return text.includes('.') ? valueNodes(parameter, text, dot) : []
}

/** `;color=blue,black`, or `;color=blue;color=black` where it is exploded. */
function matrixNodes(parameter: Styled, text: string): readonly TextNode[] {
  const { name, explode = false, schema } = parameter
  const types = typesOf(branchesOf(schema))
  const start = `${name}=`
  if (explode && types.has('array')) {
    const texts = text
      .split(';')
      .map((part) => (part.startsWith(start) ? part.slice(start.length) : part))
    return [textNode(texts.map(decodeComponent))]
  }
  if (explode && types.has('object')) {
    return objectNodes(text, { delimiter: /;/, hasNames: true, decode: decodeComponent })
  }
  const named = text === name ? start : text
  const value = named.startsWith(start) ? named.slice(start.length) : named

  return valueNodes(parameter, value, { delimiter: /,/, decode: decodeComponent })
}

/** The possible meanings of a header in the style `simple`: as it was sent, else with its percent-encoding decoded. */
export function headerNodes(parameter: Styled, value: string): readonly TextNode[] {
  const { explode = false } = parameter
  const plain = { delimiter: /\s*,\s*/, hasNames: explode, decode: (raw: string) => raw }
  const nodes = valueNodes(parameter, value.trim(), plain)
  if (!value.includes('%')) return nodes

  return [...nodes, ...valueNodes(parameter, value.trim(), { ...plain, decode: decodeComponent })]
}

function valueNodes({ schema }: Styled, raw: string, delimited: Delimited): readonly TextNode[] {
  const types = typesOf(branchesOf(schema))
  const whole = textNode([delimited.decode(raw)])

  return [
    ...(types.has('object') ? bothObjectNodes(raw, delimited) : []),
    ...(types.has('array') ? listNodes([raw], delimited) : []),
    whole,
  ]
}

/** An exploded object may also be sent as one that is not. */
function bothObjectNodes(raw: string, delimited: Delimited): readonly TextNode[] {
  const nodes = objectNodes(raw, delimited)
  if (!delimited.hasNames || nodes.length > 0) return nodes
  return objectNodes(raw, { ...delimited, hasNames: false })
}
