import type { ComponentChildren, JSX } from 'preact'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { OperationDocumentation, TextElement, TextPart } from '../../contract/documentation.ts'
import { getOwn } from '../../validation/objects.ts'

/** The parts of texts in CommonMark, which the sandbox has read. */
export const TextsContext: ReturnType<typeof createContext<OperationDocumentation['texts']>> =
  createContext<OperationDocumentation['texts']>(undefined)

/** The schemes of links that can be followed. Others are shown as text. */
const SCHEMES: readonly string[] = ['http:', 'https:', 'mailto:']

/** Text in CommonMark, as parts of the page. Text without parts is one paragraph. No text becomes HTML. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const parts = getOwn(useContext(TextsContext) ?? {}, text)

  return <div class="markdown">{parts ? draw(parts) : <p>{text}</p>}</div>
}

function draw(parts: readonly TextPart[]): ComponentChildren {
  return parts.map((part, at) => (typeof part === 'string' ? part : <Element key={at} {...part} />))
}

function Element({ kind, parts, url, start = 1 }: TextElement): JSX.Element {
  const inner = draw(parts)
  switch (kind) {
    case 'code':
      return <code>{inner}</code>
    case 'code-block':
      return <pre>{inner}</pre>
    case 'line-break':
      return <br />
    case 'rule':
      return <hr />
    case 'emphasis':
      return <em>{inner}</em>
    case 'strong':
      return <strong>{inner}</strong>
    // The page has the headings of its own parts.
    case 'heading':
      return <p class="markdown-heading">{inner}</p>
    case 'quote':
      return <blockquote>{inner}</blockquote>
    case 'item':
      return <li>{inner}</li>
    case 'list':
      return <ul>{inner}</ul>
    case 'numbered-list':
      return <ol start={start}>{inner}</ol>
    case 'link':
      return <Link url={url}>{inner}</Link>
    default:
      return <p>{inner}</p>
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
