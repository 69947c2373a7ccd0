"""Requests and downloads: within limits, resumed, and checked."""
