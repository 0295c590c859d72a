export default {
  server: {
    proxy: {
      // Keeps the path and the Host header: the sandbox needs no option.
      '/v1': { target: 'http://127.0.0.1:4010' },
      // Removes a prefix: start the sandbox with --trust-proxy loopback, or with --public-url.
      '/api': {
        target: 'http://127.0.0.1:4010',
        rewrite: (path) => path.replace(/^\/api/, ''),
        xfwd: true,
        headers: { 'X-Forwarded-Prefix': '/api' },
      },
    },
  },
}
