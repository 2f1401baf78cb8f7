"""mamd on a desktop: prompts, notifications, the panel, the status window and the file manager.

Only `entry_window`, `entry_form` and `status_*` use GTK. `gate`, `quiet_programs`, `records`,
`accounts`, `limits` and `messages` are pure: no bus, no clock, no socket.
"""
