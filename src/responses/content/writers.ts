import type { ContentWriter } from './content-writer.ts'
import { csvWriter } from './write-csv.ts'
import { eventsWriter } from './write-events.ts'
import { fileWriter } from './write-file.ts'
import { formWriter } from './write-form.ts'
import { jsonWriter } from './write-json.ts'
import { linesWriter, sequenceWriter } from './write-lines.ts'
import { multipartWriter } from './write-multipart.ts'
import { svgWriter } from './write-svg.ts'
import { htmlWriter, textWriter, yamlWriter } from './write-text.ts'
import { xmlWriter } from './write-xml.ts'

/** The media types of files whose content does not follow from a value. */
const FILE =
  /^(image|audio|video|font)\/|^application\/((x-|vnd\.)?(octet-stream|pdf|zip|x-zip|gzip|tgz|tar|7z|rar|bzip2?|mp4|binary|msword)|vnd\.(ms-|openxmlformats))/

/** How content of each media type is written. The first entry that fits counts. */
const WRITERS: readonly (readonly [mediaType: RegExp, writer: ContentWriter])[] = [
  [
    /^application\/(x-)?(ndjson|jsonl|jsonlines|json-lines|nd-json|stream\+json|json-stream)$/,
    linesWriter,
  ],
  [/[/+]json-seq$/, sequenceWriter],
  [/[/+]json$/, jsonWriter],
  [/^text\/event-stream$/, eventsWriter],
  [/^(text|application)\/(csv|tab-separated-values)$/, csvWriter],
  [/^image\/svg\+xml$/, svgWriter],
  [/^(text\/html|application\/xhtml\+xml)$/, htmlWriter],
  [/[/+]xml$/, xmlWriter],
  [/^application\/x-www-form-urlencoded$/, formWriter],
  [/^multipart\//, multipartWriter],
  [/[/+](x-)?yaml$/, yamlWriter],
  [FILE, fileWriter],
]

/** The writer of a media type, which is in lower case and without parameters. Unknown media types are text. */
export function writerOf(mediaType: string): ContentWriter {
  const [, writer] = WRITERS.find(([pattern]) => pattern.test(mediaType)) ?? []
  return writer ?? textWriter
}
