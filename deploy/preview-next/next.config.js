/** Says which pages may show the site in a frame: its own, and those of the editor's tool. */
const ancestors = ["'self'", process.env.EDITOR_ORIGIN].filter(Boolean).join(' ');

export default {
  // otherwise Next looks for the folder of the site above it
  turbopack: { root: import.meta.dirname },
  headers: async () => [
    { source: '/:path*', headers: [{ key: 'Content-Security-Policy', value: `frame-ancestors ${ancestors}` }] },
  ],
};
