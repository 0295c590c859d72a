import { fromMarkdown } from 'mdast-util-from-markdown'
import type { ComponentChildren, JSX } from 'preact'

/** A node of the syntax tree of CommonMark. */
type Node = ReturnType<typeof fromMarkdown>['children'][number]

/** Longer texts are cut. */
const MAX_LENGTH = 50_000
/** Quotes and lists that are deeper inside each other are left out. */
const MAX_DEPTH = 30

/** The schemes of links that can be followed. Others are shown as text. */
const SCHEMES: readonly string[] = ['http:', 'https:', 'mailto:']

/** Text in CommonMark. HTML in it is text, and no picture is loaded: it is a link. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  const { children } = fromMarkdown(cut)
  const targets = new Map(
    children.flatMap((node) => (node.type === 'definition' ? [[node.identifier, node.url]] : [])),
  )

  return <div class="markdown">{draw(children, targets, 0)}</div>
}

/** The addresses that are defined apart from the links. */
type Targets = ReadonlyMap<string, string>

function draw(nodes: readonly Node[], targets: Targets, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return '…'
  return nodes.map((node, at) => <Part key={at} node={node} targets={targets} depth={depth + 1} />)
}

interface PartProps {
  readonly node: Node
  readonly targets: Targets
  readonly depth: number
}

function Part({ node, targets, depth }: PartProps): ComponentChildren {
  const inner = 'children' in node ? draw(node.children, targets, depth) : undefined
  switch (node.type) {
    case 'text':
      return node.value
    case 'html':
      return /^<br *\/?>$/i.test(node.value) ? <br /> : node.value
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'code':
      return <pre>{node.value}</pre>
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'emphasis':
      return <em>{inner}</em>
    case 'strong':
      return <strong>{inner}</strong>
    // The page has the headings of its own parts.
    case 'heading':
      return <p class="markdown-heading">{inner}</p>
    case 'paragraph':
      return <p>{inner}</p>
    case 'blockquote':
      return <blockquote>{inner}</blockquote>
    case 'listItem':
      return <li>{inner}</li>
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inner}</ol> : <ul>{inner}</ul>
    case 'link':
      return <Link url={node.url}>{inner}</Link>
    case 'linkReference':
      return <Link url={targets.get(node.identifier)}>{inner}</Link>
    case 'image':
      return <Link url={node.url}>{node.alt || node.url}</Link>
    case 'imageReference':
      return <Link url={targets.get(node.identifier)}>{node.alt || node.identifier}</Link>
    default:
      return null
  }
}

interface LinkProps {
  readonly url: string | undefined
  readonly children: ComponentChildren
}

function Link({ url = '', children }: LinkProps): JSX.Element {
  const isAllowed = URL.canParse(url) && SCHEMES.includes(new URL(url).protocol)
  if (!isAllowed) return <span title={url}>{children}</span>

  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}
