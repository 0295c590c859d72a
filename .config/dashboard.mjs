import { copyFile, mkdir } from 'node:fs/promises'
import { build } from 'esbuild'

/** Bundles the page of the dashboard into `dist/dashboard`. Returns the modules that it contains. */
export async function bundleDashboard() {
  await mkdir('dist/dashboard', { recursive: true })
  const [{ metafile }] = await Promise.all([
    build({
      entryPoints: [
        { in: 'src/dashboard/main.tsx', out: 'app' },
        { in: 'src/dashboard/styles/main.css', out: 'app' },
      ],
      outdir: 'dist/dashboard',
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
    }),
    copyFile('src/dashboard/index.html', 'dist/dashboard/index.html'),
  ])

  return Object.keys(metafile.inputs)
}
