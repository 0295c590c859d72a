import { relative, resolve } from 'node:path'
import type { HotUpdateOptions, Plugin } from 'vite'
import { type Selection, selectOperations } from '../codegen/select-operations.ts'
import type { LoadOptions } from '../document/load-options.ts'
import { version } from '../generated/package.ts'
import { count, refuseUnknown, UsageError } from '../validation/usage-error.ts'
import { diagnosticLine } from './diagnostics.ts'

/** How the documents are compiled that a Vite project imports. Files are relative to the root of the project. */
export interface SandboxPluginOptions extends Omit<LoadOptions, 'onRead'>, Selection {}

const OPTIONS = [
  'headers',
  'basePath',
  'overlays',
  'remoteRefs',
  'outsideRefs',
  'inference',
  'strict',
  'operations',
  'tags',
]

/** The query of an import that names a document. */
const QUERY = /^(?<file>[^?]+)\?sandbox$/
/** Neither Vite nor another plugin takes such a module for a file in JSON or YAML. */
const PREFIX = '\0pet-sandbox:'
const SUFFIX = '.js'

/**
 * A plugin for Vite and Vitest: `import contract from './api.yaml?sandbox'` is the contract of a document. Changes of the document, of
 * the files that it refers to and of the overlays reload the page.
 *
 * @example
 * ```ts
 * // vite.config.ts
 * export default defineConfig({ plugins: [petSandbox({ overlays: ['sandbox.overlay.yaml'] })] })
 * ```
 */
export function petSandbox(options: SandboxPluginOptions = {}): Plugin {
  refuseUnknown('petSandbox', options, OPTIONS)
  /** The modules by the files that they are made of. */
  const modules = new Map<string, Set<string>>()
  const failed = new Set<string>()
  let root = process.cwd()

  return {
    name: 'pet-sandbox',
    enforce: 'pre',
    configResolved(config) {
      root = config.root
    },
    async resolveId(source, importer) {
      const file = QUERY.exec(source)?.groups?.file
      if (file === undefined) return undefined
      const resolved = await this.resolve(file, importer, { skipSelf: true })
      return resolved ? PREFIX + resolved.id + SUFFIX : undefined
    },
    async load(id) {
      if (!id.startsWith(PREFIX)) return undefined
      const file = id.slice(PREFIX.length, -SUFFIX.length)
      const onRead = (path: string): void => {
        modules.set(path, (modules.get(path) ?? new Set()).add(id))
        this.addWatchFile(path)
      }
      try {
        const { code, warning } = await compileImport(file, { root, options, onRead })
        failed.delete(id)
        if (warning !== undefined) this.warn(warning)
        return { code, map: null, moduleType: 'js' }
      } catch (error) {
        failed.add(id)
        throw asRollupError(error, root)
      }
    },
    hotUpdate({ file, modules: affected }: HotUpdateOptions) {
      const { moduleGraph, hot } = this.environment
      const ids = [...(modules.get(resolve(file)) ?? [])]
      if (ids.length === 0) return undefined
      // A page whose module failed has imported nothing that could be updated.
      if (ids.some((id) => failed.has(id))) hot.send({ type: 'full-reload' })
      return [
        ...new Set([...affected, ...ids.flatMap((id) => moduleGraph.getModuleById(id) ?? [])]),
      ]
    },
  }
}

/** What the import of a document needs. */
interface ImportContext {
  readonly root: string
  readonly options: SandboxPluginOptions
  readonly onRead: (path: string) => void
}

async function compileImport(
  file: string,
  { root, options, onRead }: ImportContext,
): Promise<{ readonly code: string; readonly warning: string | undefined }> {
  const { operations, tags, overlays = [], ...load } = options
  // They load the YAML parser and Ajv's code generator.
  const { loadDocument } = await import('../document/load-document.ts')
  const { compileModule } = await import('../codegen/compiled-module.ts')
  const { contract, diagnostics } = await loadDocument(file, {
    ...load,
    overlays: overlays.map((overlay) => (isUrl(overlay) ? overlay : resolve(root, overlay))),
    onRead,
  })
  const { code } = compileModule(selectOperations(contract, { operations, tags }), {
    heading: `Compiled by pet-sandbox ${version}.`,
    command: `import contract from '${relative(root, file)}?sandbox'`,
  })
  const [first] = diagnostics.list(0, 1)
  const more = diagnostics.count - 1

  return {
    code: `${code}export default contract\n`,
    warning:
      first &&
      `${diagnosticLine(first)}${more > 0 ? ` There are ${count(more, 'more mistake')}.` : ''}`,
  }
}

function isUrl(file: string): boolean {
  return /^https?:/i.test(file)
}

/** A mistake of a document with its place, as Vite shows it. */
function asRollupError(error: unknown, root: string): unknown {
  if (!(error instanceof UsageError)) return error
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(error.location ?? '') ?? []
  if (file === undefined) return error
  const loc = { file: resolve(root, file), line: Number(line), column: Number(column) - 1 }

  return Object.assign(error, { id: loc.file, loc })
}
